// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	captured   = repository + "/testdata/captured"
	demoConfig = repository + "/examples/demo/collector.yaml"
)

var update = flag.Bool("update", false, "write the golden files; read them before you commit them")

// One fixture for each dialect and for each kind of span that is special.
var fixtures = []string{
	"vllm-0.8.5-v0-chat",
	"vllm-0.8.5-v0-crash-completion-n2",    // failed: an exception event, no attributes
	"vllm-0.10.2-v1-chat-n3-stream",        // three spans of one request
	"vllm-0.32.0-v1-completion",            //
	"vllm-0.32.0-v1-offline",               // integers where the conventions have doubles, and start-up spans
	"vllm-0.32.0-v1-pooling-embeddings",    //
	"vllm-0.32.0-v1-traceparent",           // parent, trace state and flags
	"vllm-0.32.0-v1-otelinstr-traceparent", // FastAPI spans beside the engine's
	"sglang-0.5.3-native-chat",             // no attributes of the conventions yet
	"sglang-0.5.23-native-chat-n2",         // request, thread and stage spans
	"sglang-0.5.23-native-pd-router-chat",  // a gateway, a prefill and a decode node
}

// path returns where a fixture lies: in a folder with the name of its engine.
func path(name string) string {
	engine, _, _ := strings.Cut(name, "-")
	return filepath.Join(captured, engine, name+".otlp.json")
}

func TestCapturedTraces(t *testing.T) {
	for _, name := range fixtures {
		t.Run(name, func(t *testing.T) {
			got := demo(t).pass(t, path(name))

			goldenFile := filepath.Join("testdata", name+".yaml")
			if *update {
				require.Empty(t, os.Getenv("CI"), "golden files are not written in CI")
				require.NoError(t, golden.WriteTracesToFile(goldenFile, got))
				return
			}
			want, err := golden.ReadTraces(goldenFile)
			require.NoError(t, err)
			require.NoError(t, ptracetest.CompareTraces(want, got))
			assert.Equal(t, text(t, want), text(t, got), "in a field that ptracetest leaves out, or in the order of attributes")
		})
	}
}

func TestASecondPassChangesNothing(t *testing.T) {
	for _, name := range fixtures {
		t.Run(name, func(t *testing.T) {
			first := demo(t)
			want := first.pass(t, path(name))
			got := demo(t).pass(t, first.file(outputFile))
			assert.Equal(t, text(t, want), text(t, got))
		})
	}
}

func text(t *testing.T, td ptrace.Traces) string {
	t.Helper()
	out, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return string(out)
}
