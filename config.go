// SPDX-License-Identifier: Apache-2.0

package genainormalizeprocessor // import "github.com/genainormalize/genainormalizeprocessor"

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor/internal/condition"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// Config is the configuration of the processor. The default is right for most pipelines.
type Config struct {
	// Semconv is the semantic conventions version that items are rewritten to: "1.41" or "0.1.0".
	Semconv string `mapstructure:"semconv"`
	// Originals says what becomes of sources whose value was carried over: drop or keep.
	Originals normalize.Originals `mapstructure:"originals"`
	// Approximate also uses rows that are close to the definition of their target but not it.
	Approximate bool `mapstructure:"approximate"`
	// Extensions also uses the cross-engine names under inference.server. where the standard has none.
	Extensions bool `mapstructure:"extensions"`
	// Exclude are row ids and source names that are left alone.
	Exclude []string `mapstructure:"exclude"`
	// SpanName says what becomes of span names: keep or semconv.
	SpanName normalize.SpanName `mapstructure:"span_name"`
	// SchemaURL says when a scope's schema URL is set: auto, when_empty, always or never.
	SchemaURL normalize.SchemaURL `mapstructure:"schema_url"`
	// CreatedSeries says what becomes of the X_created gauges beside an engine's metrics: keep or drop.
	CreatedSeries normalize.CreatedSeries `mapstructure:"created_series"`
	// EngineUsage says what becomes of token counts on engine-layer spans: keep or drop.
	EngineUsage normalize.EngineUsage `mapstructure:"engine_usage"`
	// ServiceName says what becomes of a missing service.name: keep or fill.
	ServiceName normalize.ServiceName `mapstructure:"service_name"`
	// EntryProvider is the provider of entry spans that prove none.
	EntryProvider string `mapstructure:"entry_provider"`
	// Annotate writes the recognised dialect to each item as genainormalize.dialect.
	Annotate bool `mapstructure:"annotate"`
	// Engines changes single engines. Naming an engine changes only the keys that are written.
	Engines map[string]EngineConfig `mapstructure:"engines"`
	// Tables are files with more mapping tables.
	Tables []string `mapstructure:"tables"`
	// TraceConditions, MetricConditions and LogConditions are OTTL conditions. An item is processed if any of its
	// signal's holds; without any, all are.
	TraceConditions  []string `mapstructure:"trace_conditions"`
	MetricConditions []string `mapstructure:"metric_conditions"`
	LogConditions    []string `mapstructure:"log_conditions"`
	// ErrorMode says what becomes of a condition that cannot be evaluated: ignore, silent or propagate.
	ErrorMode ottl.ErrorMode `mapstructure:"error_mode"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// EngineConfig changes one engine. What is not written keeps its default.
type EngineConfig struct {
	// Enabled switches the engine's table on or off.
	Enabled *bool `mapstructure:"enabled"`
	// Provider replaces the value of gen_ai.provider.name.
	Provider *string `mapstructure:"provider"`
	// Version is the engine's release as PEP 440 orders them. It selects among rows that have a range.
	Version string `mapstructure:"version"`
	// DefaultOperation is the operation of requests that do not tell theirs.
	DefaultOperation string `mapstructure:"default_operation"`
	// Approximate overrides the option of the same name for the engine.
	Approximate *bool `mapstructure:"approximate"`

	// prevent unkeyed literal initialization
	_ struct{}
}

var (
	_ confmap.Unmarshaler = (*Config)(nil)
	_ component.Config    = (*Config)(nil)
)

var errUnquoted = errors.New("a number is read where a version is expected: quote it")

const defaultTarget = "1.41"

func createDefaultConfig() component.Config {
	return &Config{
		Semconv:       defaultTarget,
		Originals:     normalize.DropOriginals,
		SpanName:      normalize.KeepSpanName,
		SchemaURL:     normalize.AutoSchemaURL,
		CreatedSeries: normalize.KeepCreatedSeries,
		EngineUsage:   normalize.KeepEngineUsage,
		ServiceName:   normalize.KeepServiceName,
		ErrorMode:     ottl.IgnoreError,
	}
}

// Unmarshal reads the configuration. Versions look like numbers, and YAML takes them for numbers unless they
// are quoted (1.10 would become 1.1), so that mistake gets an error of its own.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	err := conf.Unmarshal(cfg)
	if err == nil {
		return nil
	}
	// The number is not repeated, because 1.10 has become 1.1 by now.
	switch conf.Get("semconv").(type) {
	case int, float64:
		return fmt.Errorf("semconv: %w, as in %q", errUnquoted, defaultTarget)
	}
	if mode, ok := conf.Get("error_mode").(string); ok && new(ottl.ErrorMode).UnmarshalText([]byte(mode)) != nil {
		return fmt.Errorf("error_mode: %w %q: one of %s, %s, %s is expected",
			normalize.ErrInvalidOption, mode, ottl.IgnoreError, ottl.SilentError, ottl.PropagateError)
	}
	engines, _ := conf.Get("engines").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(engines)) {
		engine, _ := engines[name].(map[string]any)
		switch engine["version"].(type) {
		case int, float64:
			return fmt.Errorf("engines::%s::version: %w, as in %q", name, errUnquoted, "0.11.0")
		}
	}
	return err
}

// Validate compiles the tables and the conditions, so that whatever is wrong with them or with the options is an error
// at start-up.
func (cfg *Config) Validate() error {
	_, err := cfg.NewNormalizer(component.TelemetrySettings{Logger: zap.NewNop()})
	return err
}

// NewNormalizer returns what does the work. What conditions have to say goes to the logger of the settings.
func (cfg *Config) NewNormalizer(set component.TelemetrySettings) (*normalize.Normalizer, error) {
	rules, err := cfg.RuleSet()
	if err != nil {
		return nil, err
	}
	opts, err := cfg.options(set)
	if err != nil {
		return nil, err
	}
	return normalize.New(rules, opts), nil
}

// RuleSet returns the rules that the configuration asks for. It reads the tables, and reports what is wrong with
// them or with an option.
func (cfg *Config) RuleSet() (*mapping.RuleSet, error) {
	tables, err := mapping.Tables()
	if err != nil {
		return nil, err
	}
	own, faults := cfg.readTables()
	tables = append(tables, own...)
	engines := make(map[string]mapping.EngineOptions, len(cfg.Engines))
	for _, name := range slices.Sorted(maps.Keys(cfg.Engines)) {
		e := cfg.Engines[name]
		if err := mapping.ValidateVersion(e.Version); e.Version != "" && err != nil {
			faults = append(faults, fmt.Errorf("engines::%s::version: %w", name, err))
		}
		engines[name] = mapping.EngineOptions{
			Enabled:          e.Enabled,
			Provider:         e.Provider,
			Version:          e.Version,
			DefaultOperation: e.DefaultOperation,
			Approximate:      e.Approximate,
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	rules, err := mapping.Compile(tables, mapping.Options{
		Target:      cfg.Semconv,
		Approximate: cfg.Approximate,
		Extensions:  cfg.Extensions,
		Exclude:     cfg.Exclude,
		Engines:     engines,
	})
	switch {
	case errors.Is(err, semconv.ErrUnknownTarget):
		return nil, fmt.Errorf("semconv: %w", err)
	case errors.Is(err, mapping.ErrUnknownExclude):
		return nil, fmt.Errorf("exclude: %w", err)
	case errors.Is(err, mapping.ErrUnknownEngine):
		return nil, fmt.Errorf("engines: %w", err)
	}
	return rules, err
}

// readTables reads the tables that the configuration names. The errors are all that is wrong with the files, each under
// its key, as in `tables[0]: cannot read mapping table: …`.
func (cfg *Config) readTables() (tables []*mapping.Table, faults []error) {
	var files []os.FileInfo
	for i, path := range cfg.Tables {
		file, _ := os.Stat(path) // Reading it says what is wrong.
		same := slices.IndexFunc(files, func(other os.FileInfo) bool { return os.SameFile(file, other) })
		files = append(files, file)
		if same >= 0 {
			faults = append(faults, fmt.Errorf("tables[%d]: %q is the file of tables[%d]: each file is expected once", i, path, same))
			continue
		}
		table, found := mapping.CheckFile(path)
		for _, err := range found {
			faults = append(faults, fmt.Errorf("tables[%d]: %w", i, err))
		}
		tables = append(tables, table)
	}
	return tables, faults
}

// options returns how the rules are applied.
func (cfg *Config) options(set component.TelemetrySettings) (opts normalize.Options, err error) {
	opts = normalize.Options{
		Originals:     cfg.Originals,
		SpanName:      cfg.SpanName,
		SchemaURL:     cfg.SchemaURL,
		CreatedSeries: cfg.CreatedSeries,
		EngineUsage:   cfg.EngineUsage,
		ServiceName:   cfg.ServiceName,
		EntryProvider: cfg.EntryProvider,
		Annotate:      cfg.Annotate,
	}
	if opts.SpanConditions, err = condition.ForSpans(cfg.TraceConditions, cfg.ErrorMode, set); err != nil {
		return opts, fmt.Errorf("trace_conditions: %w", err)
	}
	if opts.MetricConditions, err = condition.ForMetrics(cfg.MetricConditions, cfg.ErrorMode, set); err != nil {
		return opts, fmt.Errorf("metric_conditions: %w", err)
	}
	if opts.LogConditions, err = condition.ForLogs(cfg.LogConditions, cfg.ErrorMode, set); err != nil {
		return opts, fmt.Errorf("log_conditions: %w", err)
	}
	return opts, nil
}
