// SPDX-License-Identifier: Apache-2.0

// Package otlpjson reads files of OTLP/JSON documents.
package otlpjson // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var (
	errEmpty      = errors.New("holds no OTLP/JSON document")
	errNoSignal   = errors.New(`is no OTLP/JSON document: it has none of "resourceSpans", "resourceMetrics", "resourceLogs"`)
	errTwoSignals = errors.New("holds more than one signal")
)

// Document is one OTLP/JSON document, decoded: a [ptrace.Traces], a [pmetric.Metrics] or a [plog.Logs].
type Document any

// ReadFile returns the documents of a file in their order. They follow one another, with or without line breaks:
// one pretty-printed document, the one-document-a-line output of the collector's file exporter, or several files
// put together with cat. An error names the file and the document, counted from 1.
func ReadFile(path string) ([]Document, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(path, file)
}

// Read returns the documents of a reader, as [ReadFile] does. The name stands in errors.
func Read(name string, r io.Reader) ([]Document, error) {
	documents, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return documents, nil
}

func read(r io.Reader) ([]Document, error) {
	var documents []Document
	decoder := json.NewDecoder(r)
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		var document Document
		if err == nil {
			document, err = decode(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(documents)+1, err)
		}
		documents = append(documents, document)
	}
	if len(documents) == 0 {
		return nil, errEmpty
	}
	return documents, nil
}

// Write writes a document in one line.
func Write(w io.Writer, document Document) error {
	data, err := encode(document)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

func encode(document Document) ([]byte, error) {
	switch d := document.(type) {
	case ptrace.Traces:
		return (&ptrace.JSONMarshaler{}).MarshalTraces(d)
	case pmetric.Metrics:
		return (&pmetric.JSONMarshaler{}).MarshalMetrics(d)
	case plog.Logs:
		return (&plog.JSONMarshaler{}).MarshalLogs(d)
	default:
		return nil, fmt.Errorf("a document of type %T cannot be written", d)
	}
}

// The keys of the signals. They are compared to the letter, which encoding/json would not do for the fields of a struct.
const (
	spansKey   = "resourceSpans"
	metricsKey = "resourceMetrics"
	logsKey    = "resourceLogs"
)

func decode(raw json.RawMessage) (Document, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil || keys == nil {
		return nil, errNoSignal
	}
	_, spans := keys[spansKey]
	_, metrics := keys[metricsKey]
	_, logs := keys[logsKey]
	switch {
	case spans && (metrics || logs), metrics && logs:
		return nil, errTwoSignals
	case metrics:
		return (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(raw)
	case logs:
		return (&plog.JSONUnmarshaler{}).UnmarshalLogs(raw)
	case spans, len(keys) == 0: // An export without anything is {}.
		return (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(raw)
	default:
		return nil, errNoSignal
	}
}
