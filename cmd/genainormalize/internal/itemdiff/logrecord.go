// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import (
	"fmt"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/plog"
)

func logRecords(ld plog.Logs) (items []Item) {
	for _, resource := range ld.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			shared := sharedFields(scope.Scope(), scope.SchemaUrl(), resource.Resource(), resource.SchemaUrl())
			for _, r := range scope.LogRecords().All() {
				// A record has no id. Nobody changes these.
				key := fmt.Sprint(r.Timestamp(), r.ObservedTimestamp(), r.TraceID(), r.SpanID(), format(r.Body()))
				items = append(items, Item{
					Kind: LogRecord, Name: r.EventName(), Where: "log record at " + timestamp(r.Timestamp()),
					Scope: scope.Scope().Name(), Attributes: r.Attributes(),
					fields: slices.Concat(logRecordFields(r), shared),
					keys:   [2]string{key + r.EventName(), key},
				})
			}
		}
	}
	return items
}

func logRecordFields(r plog.LogRecord) []field {
	return []field{
		{"log: event name", r.EventName()},
		{"log: severity", r.SeverityNumber().String() + " " + r.SeverityText()},
		{"log: flags", strconv.FormatUint(uint64(r.Flags()), 10)},
		{"log: dropped", strconv.FormatUint(uint64(r.DroppedAttributesCount()), 10)},
	}
}
