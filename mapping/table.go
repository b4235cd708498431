// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Table is one engine's mapping table: the dialects its telemetry is written in, and what each name means.
type Table struct {
	// Engine names the table. It is the key under `engines:` in the configuration.
	Engine string `yaml:"engine"`
	// Extends names the engine whose table this one changes, if it is the same engine, or builds on.
	Extends string `yaml:"extends"`
	// Disable are ids of rows of that table that are left out.
	Disable []string `yaml:"disable"`
	// Layer says where on a request's way the engine measures.
	Layer Layer `yaml:"layer"`
	// Enabled overrides what the layer decides: tables of the engine layer are on, the others off.
	Enabled *bool `yaml:"enabled"`
	// Fallback makes every dialect of the table one: they recognise a vocabulary and not an engine.
	Fallback bool `yaml:"fallback"`
	// Provider is the value of gen_ai.provider.name for items that prove who wrote them.
	Provider string `yaml:"provider"`
	// VersionAttribute is a resource attribute that states the engine's version. It outweighs the configured one.
	VersionAttribute string `yaml:"version_attribute"`
	// NotModels are placeholders that stand where a model name should: they never become a model.
	NotModels []string `yaml:"not_models"`
	// RequestIDs says what the API's request ids tell about the operation.
	RequestIDs *RequestIDs `yaml:"request_ids"`
	// EntryOperations are the operations that the name of an entry span may begin with: "chat qwen3".
	EntryOperations []string `yaml:"entry_operations"`
	// Dialects are tried in order. The first that matches wins.
	Dialects []Dialect `yaml:"dialects"`
	// Attributes are the rows. Their order is their precedence: of two sources of one target the upper wins.
	Attributes []Row `yaml:"attributes"`
	// Events are the rows of log records that are events.
	Events []EventRow `yaml:"events"`
	// MetricPrefixes are what may stand before the names of metrics. Without any, rows give names in full.
	MetricPrefixes []string `yaml:"metric_prefixes"`
	// ForeignMetrics are beginnings of names, prefix included, that others use in the engine's namespace.
	ForeignMetrics []string `yaml:"foreign_metrics"`
	// ForeignPoints select points that others write under the engine's names.
	ForeignPoints oneOrMany[PointSelector] `yaml:"foreign_points"`
	// MetricLabels are the labels of data points that have a standard meaning.
	MetricLabels []LabelRow `yaml:"metric_labels"`
	// Metrics are the rows of metrics. Of two sources of one target an exact row comes before an approximate one,
	// and then the upper before the lower.
	Metrics []MetricRow `yaml:"metrics"`

	file     string
	embedded bool
	// incomplete tells that something beside dialects and rows could not be read, to which these may refer.
	incomplete bool
}

// Layer is the place on a request's way through a deployment at which something is measured.
type Layer string

// The layers. A request leaves a client, passes a gateway, a frontend and an engine, and each may count it.
const (
	LayerEngine   Layer = "engine"
	LayerFrontend Layer = "frontend"
	LayerGateway  Layer = "gateway"
	LayerClient   Layer = "client"
)

// RequestIDs maps the prefixes of an API's request ids to operations.
type RequestIDs struct {
	// Key are the attributes that may hold the id. The first that an item has decides.
	Key oneOrMany[string] `yaml:"key"`
	// Operations maps a prefix to a value of gen_ai.operation.name: `chatcmpl-: chat`.
	Operations map[string]string `yaml:"operations"`
	// None are prefixes of requests that have no standard operation. They also forbid the engine's default.
	None []string `yaml:"none"`
	// Evidence is the public source of the prefixes.
	Evidence string `yaml:"evidence"`
}

// Dialect is one way an engine's telemetry is written: engine × generation × instrumentation layer.
type Dialect struct {
	// ID names the dialect: the engine, or what begins with it and a slash. Several entries may describe one dialect.
	ID string `yaml:"id"`
	// Summary says in a sentence who writes it.
	Summary string `yaml:"summary"`
	// Request, Entry and Stage are the forms a span can have. A form lists alternatives, one of which must hold.
	Request oneOrMany[Condition] `yaml:"request"`
	Entry   oneOrMany[Condition] `yaml:"entry"`
	Stage   oneOrMany[Condition] `yaml:"stage"`
	// Record and Event are the forms of a log record: one request at the API layer, and an event of the standard.
	Record oneOrMany[Condition] `yaml:"record"`
	Event  oneOrMany[Condition] `yaml:"event"`
	// Fallback dialects are tried after all others, those of the user's tables included. In a table that is one, they are
	// tried after those of other such tables.
	Fallback bool `yaml:"fallback"`
	// ProviderOf is the engine whose provider a match proves, if it is not the table's own.
	ProviderOf string `yaml:"provider_of"`
	// Proves lists what a match is proof of. What is not proven is not filled in.
	Proves []Proof `yaml:"proves"`
	// Durations says in which units the dialect writes its latencies.
	Durations *Durations `yaml:"durations"`
	Evidence  string     `yaml:"evidence"`

	at Place
}

// Proof is something that a match of a dialect proves.
type Proof string

// The proofs.
const (
	// ProvesProvider allows the fill of gen_ai.provider.name.
	ProvesProvider Proof = "provider"
	// ProvesOperationFromRequestID allows to read the operation off the request id.
	ProvesOperationFromRequestID Proof = "operation_from_request_id"
)

// Condition is one alternative of a form. All of its parts must hold; a list holds if any of its members does.
type Condition struct {
	SpanName        []string `yaml:"span_name"`
	SpanNamePattern string   `yaml:"span_name_pattern"`
	// EventName is the name of a log record.
	EventName []string `yaml:"event_name"`
	Scope     []string `yaml:"scope"`
	NotScope  []string `yaml:"not_scope"`
	NotKind   []string `yaml:"not_kind"`
	AnyKey    []string `yaml:"any_key"`
	AllKeys   []string `yaml:"all_keys"`
	NoKey     []string `yaml:"no_key"`
	// Values asks for an attribute with one of the listed string values.
	Values map[string][]string `yaml:"values"`
	// NoAttributes asks for a span without attributes other than those that are filled in.
	NoAttributes bool `yaml:"no_attributes"`

	// semconvName asks for a span that is called "{operation} {model}" after its own attributes.
	semconvName bool
}

// Durations describes the latencies of a dialect.
type Durations struct {
	// Keys is the prefix of the latency keys, followed by a star: `gen_ai.latency.*`.
	Keys string `yaml:"keys"`
	// Units are the possible units: seconds, or nanoseconds and seconds, between which each span decides.
	Units []string `yaml:"units"`
	// DecideBy are the keys that stand for the whole request, best first. The first that is positive is
	// compared with the span's own length; without one the largest latency is.
	DecideBy []string `yaml:"decide_by"`
	// WithinRequest are the keys whose value lies inside the request, so that a larger one is implausible.
	WithinRequest []string `yaml:"within_request"`
}

// Basis says how far the meaning of a source is the definition of its target.
type Basis string

// The bases.
const (
	// BasisExact is a source whose meaning is the target's definition.
	BasisExact Basis = "exact"
	// BasisApproximate is a source that is close to the target's definition. Such rows are off unless asked for.
	BasisApproximate Basis = "approximate"
)

// Row says what one attribute means.
type Row struct {
	ID string `yaml:"id"`
	// From are the source names; several are spellings of one thing. Keep is a source that stays as it is.
	From oneOrMany[string] `yaml:"from"`
	Keep oneOrMany[string] `yaml:"keep"`
	// To is the target attribute. The source's own name means: only the type is made right.
	To perTarget `yaml:"to"`
	// Basis, Why and Evidence justify the row. Why is asked of kept and approximate rows.
	Basis    Basis  `yaml:"basis"`
	Why      string `yaml:"why"`
	Evidence string `yaml:"evidence"`
	// Copy leaves the source where it is.
	Copy bool `yaml:"copy"`
	// OmitWhen is the value that the standard expresses by absence: the source goes and no target comes.
	OmitWhen any `yaml:"omit_when"`
	// Values replaces values on the way: `{vLLM: vllm}`.
	Values map[string]string `yaml:"values"`
	// Unit is the unit of the source where it is fixed and not the target's.
	Unit string `yaml:"unit"`
	// Versions is a PEP 440 specifier of the releases in which the row is right: `>=0.8,<0.10`.
	Versions string `yaml:"versions"`
	// Dialects restricts the row; without it the row holds for every dialect of the table.
	Dialects []string `yaml:"dialects"`
	// Caveats are remarks for whoever reads the number. They are printed in the docs.
	Caveats []string `yaml:"caveats"`

	at Place
}

// EventRow says what an event is called.
type EventRow struct {
	ID   string    `yaml:"id"`
	From string    `yaml:"from"`
	To   perTarget `yaml:"to"`
	// Only asks for an attribute with one of the listed string values.
	Only     map[string][]string `yaml:"only"`
	Evidence string              `yaml:"evidence"`

	at Place
}

// sources returns the names the row is about.
func (r *Row) sources() []string {
	if len(r.Keep) > 0 {
		return r.Keep
	}
	return r.From
}

// isForDialect tells whether the row says something about a dialect of its table.
func (r *Row) isForDialect(id string) bool {
	return len(r.Dialects) == 0 || slices.Contains(r.Dialects, id)
}

// ParseTable reads a table from YAML. The name of the file is used in errors, which wrap [ErrInvalidTable] and list all
// faults, in a line each.
func ParseTable(file string, data []byte) (*Table, error) {
	t, faults := CheckTable(file, data)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return t, nil
}

// CheckTable is [ParseTable] for those who want the faults one by one: what could not be read, and one fault for each other
// dialect and row.
func CheckTable(file string, data []byte) (*Table, []error) {
	t := &Table{file: file}
	faults, isRead := readTable(t, data)
	if !isRead {
		return nil, faults
	}
	for at := range t.places() {
		at.file = file
	}
	switch {
	case t.Extends == "":
		faults = append(faults, t.faults()...)
	case t.Engine == "" && !t.incomplete:
		faults = append(faults, t.errorf("engine is missing"))
	default:
		// What is missing may be in the table that is extended, so the rest is checked when that is known.
	}
	return t, faults
}

func (t *Table) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", t.file, ErrInvalidTable, fmt.Errorf(format, args...))
}

// places yields where the dialects and rows of the table are written.
func (t *Table) places() iter.Seq[*Place] {
	return func(yield func(*Place) bool) {
		for i := range t.Dialects {
			if !yield(&t.Dialects[i].at) {
				return
			}
		}
		for i := range t.Attributes {
			if !yield(&t.Attributes[i].at) {
				return
			}
		}
		for i := range t.Events {
			if !yield(&t.Events[i].at) {
				return
			}
		}
		for i := range t.Metrics {
			if !yield(&t.Metrics[i].at) {
				return
			}
		}
	}
}

// DefaultEnabled tells whether the table is used when the configuration does not say.
func (t *Table) DefaultEnabled() bool {
	if t.Enabled != nil {
		return *t.Enabled
	}
	return t.Layer == LayerEngine
}

// Place is where a dialect or a row is written.
type Place struct {
	file string
	line int
	// embedded tells that the file comes with this package.
	embedded bool
	// faults are what could not be read of it. Nothing else is asked of it then.
	faults []string
}

// String returns for example "tables/vllm.yaml:12".
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

func (p Place) errorf(what, id, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s %q: %w", p, ErrInvalidTable, what, id, fmt.Errorf(format, args...))
}

// Place returns where the row is written.
func (r *Row) Place() Place { return r.at }

// Place returns where the row is written.
func (r *MetricRow) Place() Place { return r.at }

// Place returns where the row is written.
func (r *EventRow) Place() Place { return r.at }
