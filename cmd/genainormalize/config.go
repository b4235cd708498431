// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"errors"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/options"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// config is the flag --config. Its value is the name of a file.
type config string

// newConfig adds the flag to a command.
func newConfig(cmd *cobra.Command) *config {
	c := new(config)
	cmd.Flags().Var(c, "config", "YAML file with what stands under genainormalize: in a collector's configuration")
	return c
}

// String returns the name of the file.
func (c *config) String() string { return string(*c) }

// Type returns what the flag takes.
func (*config) Type() string { return "file" }

// Set takes one file: a second one would not add to it, as it does for a collector.
func (c *config) Set(file string) error {
	switch {
	case file == "":
		return errors.New("the name of a file is expected")
	case *c != "":
		return errors.New("one file is expected: there is " + c.String() + " already")
	}
	*c = config(file)
	return nil
}

// load reads the file as the collector does. Without one the configuration is the default one.
func (c *config) load() (*genainormalizeprocessor.Config, error) {
	if *c == "" {
		return options.Default(), nil
	}
	return options.ReadFile(c.String())
}

func (c *config) normalizer() (*normalize.Normalizer, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, err
	}
	return cfg.NewNormalizer(component.TelemetrySettings{Logger: zap.NewNop()})
}
