// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"errors"
	"fmt"
	"strings"
)

// Options say how rules are applied. The zero value is the default.
type Options struct {
	Originals   Originals
	SpanName    SpanName
	SchemaURL   SchemaURL
	EngineUsage EngineUsage
	ServiceName ServiceName
	// CreatedSeries says what becomes of gauges that say when a series began.
	CreatedSeries CreatedSeries
	// EntryProvider is the provider of entry spans that prove none.
	EntryProvider string
	// SpanConditions, MetricConditions and LogConditions say which items are processed.
	SpanConditions   SpanConditions
	MetricConditions MetricConditions
	LogConditions    LogConditions
	// Annotate writes the recognised dialect to each item as the attribute [mapping.DialectKey].
	Annotate bool
}

// Originals says what becomes of a source whose value was carried over.
type Originals string

const (
	// DropOriginals removes it. This is the default.
	DropOriginals Originals = "drop"
	// KeepOriginals leaves it beside the target.
	KeepOriginals Originals = "keep"
)

// SpanName says what becomes of the names of request and entry spans.
type SpanName string

const (
	// KeepSpanName leaves them. This is the default.
	KeepSpanName SpanName = "keep"
	// SemconvSpanName writes "{operation} {model}" where both are known.
	SemconvSpanName SpanName = "semconv"
)

// SchemaURL says when the schema URL of a scope is set to the target's.
type SchemaURL string

const (
	// AutoSchemaURL sets it where it is empty. This is the default.
	AutoSchemaURL SchemaURL = "auto"
	// SchemaURLWhenEmpty does so for every signal.
	SchemaURLWhenEmpty SchemaURL = "when_empty"
	// AlwaysSchemaURL replaces any other.
	AlwaysSchemaURL SchemaURL = "always"
	// NeverSchemaURL leaves it.
	NeverSchemaURL SchemaURL = "never"
)

// isAuto tells whether it is left to us.
func (o SchemaURL) isAuto() bool { return o == AutoSchemaURL || o == "" }

// EngineUsage says what becomes of token counts that an engine reports beside the entry span's.
type EngineUsage string

const (
	// KeepEngineUsage leaves them. This is the default.
	KeepEngineUsage EngineUsage = "keep"
	// DropEngineUsage removes them, for backends that add up all spans of a trace.
	DropEngineUsage EngineUsage = "drop"
)

// ServiceName says what becomes of a resource without a service name.
type ServiceName string

const (
	// KeepServiceName leaves it. This is the default.
	KeepServiceName ServiceName = "keep"
	// FillServiceName writes the provider's name where service.name is missing or the SDK's unknown_service.
	FillServiceName ServiceName = "fill"
)

// CreatedSeries says what becomes of X_created, which Prometheus clients write beside a counter or histogram X.
type CreatedSeries string

const (
	// KeepCreatedSeries leaves them. This is the default.
	KeepCreatedSeries CreatedSeries = "keep"
	// DropCreatedSeries removes them from the scopes that hold an engine's metrics.
	DropCreatedSeries CreatedSeries = "drop"
)

// ErrInvalidOption is what the text of an option wraps that is none of its values.
var ErrInvalidOption = errors.New("invalid value")

// UnmarshalText accepts the values of the option.
func (o *Originals) UnmarshalText(text []byte) error {
	return setOption(o, text, DropOriginals, KeepOriginals)
}

// UnmarshalText accepts the values of the option.
func (o *SpanName) UnmarshalText(text []byte) error {
	return setOption(o, text, KeepSpanName, SemconvSpanName)
}

// UnmarshalText accepts the values of the option.
func (o *SchemaURL) UnmarshalText(text []byte) error {
	return setOption(o, text, AutoSchemaURL, SchemaURLWhenEmpty, AlwaysSchemaURL, NeverSchemaURL)
}

// UnmarshalText accepts the values of the option.
func (o *EngineUsage) UnmarshalText(text []byte) error {
	return setOption(o, text, KeepEngineUsage, DropEngineUsage)
}

// UnmarshalText accepts the values of the option.
func (o *ServiceName) UnmarshalText(text []byte) error {
	return setOption(o, text, KeepServiceName, FillServiceName)
}

// UnmarshalText accepts the values of the option.
func (o *CreatedSeries) UnmarshalText(text []byte) error {
	return setOption(o, text, KeepCreatedSeries, DropCreatedSeries)
}

func setOption[T ~string](option *T, text []byte, allowed ...T) error {
	names := make([]string, len(allowed))
	for i, a := range allowed {
		if string(a) == string(text) {
			*option = a
			return nil
		}
		names[i] = string(a)
	}
	return fmt.Errorf("%w %q: one of %s is expected", ErrInvalidOption, text, strings.Join(names, ", "))
}
