// SPDX-License-Identifier: Apache-2.0

// Package options reads what stands under genainormalize: in a collector's configuration.
package options // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/options"

import (
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/confmap"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/yamldoc"
)

// ErrSeveralDocuments is returned for a file of which a collector would read the beginning only.
var ErrSeveralDocuments = errors.New("one YAML document is expected: a collector does not read what is behind the first")

var errNoKeys = errors.New("options are expected, as key: value")

// Default returns the configuration of a processor without options.
func Default() *genainormalizeprocessor.Config {
	return genainormalizeprocessor.NewFactory().CreateDefaultConfig().(*genainormalizeprocessor.Config)
}

// ReadFile reads options that stand in a file of their own.
func ReadFile(path string) (*genainormalizeprocessor.Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, nextLine, err := yamldoc.First(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if nextLine > 0 {
		return nil, fmt.Errorf("%s:%d: %w", path, nextLine, ErrSeveralDocuments)
	}
	conf, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	cfg, faults := Decode(conf)
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s: %s", path, faults[0])
	}
	return cfg, nil
}

// Parse reads the first YAML document of a file as a collector does.
func Parse(data []byte) (*confmap.Conf, error) {
	retrieved, err := confmap.NewRetrievedFromYAML(data)
	if err != nil {
		return nil, err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return nil, errNoKeys
	}
	return conf, nil
}

// Decode reads options as a collector does, and says all that is wrong with their keys and types.
func Decode(conf *confmap.Conf) (*genainormalizeprocessor.Config, []Fault) {
	cfg := Default()
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, decodingFaults(err)
	}
	return cfg, nil
}
