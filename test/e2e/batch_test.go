// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// batch is what a server exports in one request. Its items, spans or data points, bear the number of the request and
// their place in it, where the processor never writes: spans in their trace id, data points in their time.
type batch interface {
	itemCount() int
	// numbered returns a copy whose items bear the number of a request.
	numbered(request uint64) batch
	// numbers returns the number that each item bears.
	numbers() iter.Seq[uint64]
	// export sends it once. An error means that not all of it was accepted.
	export(context.Context, *client) error
	text() (string, error)
}

var errRejected = errors.New("the collector rejected items of a request that it accepted")

type spans struct{ td ptrace.Traces }

func (s spans) itemCount() int { return s.td.SpanCount() }

func (s spans) all() iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range s.td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

// place writes the place of each span, counted from 1.
func (s spans) place() {
	place := uint64(0)
	for span := range s.all() {
		place++
		span.SetTraceID(pcommon.TraceID(binary.BigEndian.AppendUint64(make([]byte, 8), place)))
	}
}

func (s spans) numbered(request uint64) batch {
	td := ptrace.NewTraces()
	s.td.CopyTo(td)
	for span := range (spans{td}).all() {
		id := span.TraceID()
		binary.BigEndian.PutUint64(id[:8], request)
		span.SetTraceID(id)
	}
	return spans{td}
}

func (s spans) numbers() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for span := range s.all() {
			if id := span.TraceID(); !yield(binary.BigEndian.Uint64(id[:8])) {
				return
			}
		}
	}
}

func (s spans) export(ctx context.Context, c *client) error {
	response, err := c.traces.Export(ctx, ptraceotlp.NewExportRequestFromTraces(s.td))
	if err == nil && response.PartialSuccess().RejectedSpans() != 0 {
		return errRejected
	}
	return err
}

func (s spans) text() (string, error) {
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(s.td)
	return string(text), err
}

type points struct{ md pmetric.Metrics }

// placeBits is how many bits of a data point's time hold its place.
const placeBits = 16

func (p points) itemCount() int { return p.md.DataPointCount() }

func (p points) all() iter.Seq[point] {
	return func(yield func(point) bool) {
		for _, rm := range p.md.ResourceMetrics().All() {
			for _, m := range metricsOf(rm) {
				for _, point := range pointsOf(m) {
					if !yield(point) {
						return
					}
				}
			}
		}
	}
}

// place writes the place of each data point, counted from 1.
func (p points) place() {
	place := pcommon.Timestamp(0)
	for point := range p.all() {
		place++
		point.SetTimestamp(place)
	}
}

func (p points) numbered(request uint64) batch {
	md := pmetric.NewMetrics()
	p.md.CopyTo(md)
	for point := range (points{md}).all() {
		place := point.Timestamp() & (1<<placeBits - 1)
		point.SetTimestamp(pcommon.Timestamp(request)<<placeBits | place)
	}
	return points{md}
}

func (p points) numbers() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for point := range p.all() {
			if !yield(uint64(point.Timestamp()) >> placeBits) {
				return
			}
		}
	}
}

func (p points) export(ctx context.Context, c *client) error {
	response, err := c.metrics.Export(ctx, pmetricotlp.NewExportRequestFromMetrics(p.md))
	if err == nil && response.PartialSuccess().RejectedDataPoints() != 0 {
		return errRejected
	}
	return err
}

func (p points) text() (string, error) {
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(p.md)
	return string(text), err
}

// capturedBatches returns each document that servers and the prometheus receiver wrote as one batch, without a number.
func capturedBatches(t *testing.T) (batches []batch) {
	t.Helper()
	for _, document := range documentsOf(t, captured+"/*/*.otlp.json") {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(document)
		require.NoError(t, err)
		spans{td}.place()
		batches = append(batches, spans{td})
	}
	for _, document := range documentsOf(t, captured+"/*/metrics/*.otlp.json") {
		md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(document)
		require.NoError(t, err)
		points{md}.place()
		batches = append(batches, points{md})
	}
	return batches
}

// documentsOf returns the JSON documents in files, of which each can hold several.
func documentsOf(t *testing.T, pattern string) (documents []json.RawMessage) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(t, err)
		for decoder := json.NewDecoder(file); decoder.More(); {
			var document json.RawMessage
			require.NoError(t, decoder.Decode(&document), name)
			documents = append(documents, document)
		}
		require.NoError(t, file.Close())
	}
	return documents
}

// textsOf returns what batches say.
func textsOf(t *testing.T, batches []batch) []string {
	t.Helper()
	texts := make([]string, len(batches))
	for i, b := range batches {
		text, err := b.text()
		require.NoError(t, err)
		texts[i] = text
	}
	return texts
}

// commandLineTool builds bin/genainormalize if need be, and returns its path.
var commandLineTool = sync.OnceValues(func() (string, error) {
	if out, err := exec.Command("make", "-C", repository, "cli").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Abs(repository + "/bin/genainormalize")
})

// applied returns what the command line tool makes of batches, as text.
func applied(t *testing.T, batches []batch) []string {
	t.Helper()
	tool, err := commandLineTool()
	require.NoError(t, err)
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), tool, "apply")
	for i, text := range textsOf(t, batches) {
		file := filepath.Join(dir, strconv.Itoa(i)+".json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		command.Args = append(command.Args, file)
	}
	output, err := command.Output()
	require.NoError(t, err)
	results := strings.Split(strings.TrimSpace(string(output)), "\n")
	require.Len(t, results, len(batches))
	return results
}
