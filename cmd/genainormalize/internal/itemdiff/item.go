// SPDX-License-Identifier: Apache-2.0

// Package itemdiff pairs the items of two lists of documents and tells what changed in each pair.
package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

// Item is a span, a log record or a data point, as far as it is compared.
type Item struct {
	Kind ItemKind
	// Name is that of the span, the event or the metric.
	Name string
	// Where says which one it is: "trace … span …".
	Where      string
	Scope      string
	Attributes pcommon.Map

	fields []field
	// keys are what the item is paired by, the most telling first.
	keys [2]string
	// values are those of a data point that have its unit.
	values []float64
}

// ItemKind is what an item is.
type ItemKind string

// The kinds, in the order in which they are counted.
const (
	Span      ItemKind = "span"
	DataPoint ItemKind = "data point"
	LogRecord ItemKind = "log record"
)

var itemKinds = []ItemKind{Span, DataPoint, LogRecord}

// itemsIn lists the items in the order of the documents.
func itemsIn(documents []otlpjson.Document) (items []Item) {
	for _, document := range documents {
		switch d := document.(type) {
		case ptrace.Traces:
			items = append(items, spans(d)...)
		case pmetric.Metrics:
			items = append(items, dataPoints(d)...)
		case plog.Logs:
			items = append(items, logRecords(d)...)
		}
	}
	return items
}
