// SPDX-License-Identifier: Apache-2.0

package otlpjson // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Count says how much telemetry a number of documents hold.
type Count struct {
	Documents, Spans, DataPoints, LogRecords int
}

// Add counts a document.
func (c *Count) Add(document Document) {
	c.Documents++
	switch d := document.(type) {
	case ptrace.Traces:
		c.Spans += d.SpanCount()
	case pmetric.Metrics:
		c.DataPoints += d.DataPointCount()
	case plog.Logs:
		c.LogRecords += d.LogRecordCount()
	}
}

// String returns for example "2 documents: 14 spans, 3 log records".
func (c Count) String() string {
	var parts []string
	for _, part := range []struct {
		n    int
		unit string
	}{{c.Spans, "span"}, {c.DataPoints, "data point"}, {c.LogRecords, "log record"}} {
		if part.n > 0 {
			parts = append(parts, plural(part.n, part.unit))
		}
	}
	if len(parts) == 0 {
		return plural(c.Documents, "document") + ": empty"
	}
	return plural(c.Documents, "document") + ": " + strings.Join(parts, ", ")
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
