// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	chat    = "testdata/captured/vllm/vllm-0.32.0-v1-chat.otlp.json"
	offline = "testdata/captured/vllm/vllm-0.32.0-v1-offline.otlp.json"
)

func runWith(args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(strings.NewReader(""), args, &out, &err)
	return code, out.String(), err.String()
}

func TestReplay(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	code, stdout, stderr := runWith("replay", "--endpoint", server.URL, chat, offline)
	assert.Zero(t, code)
	assert.Equal(t, "sent 2 documents: 15 spans to "+server.URL+"\n", stdout)
	assert.Empty(t, stderr)
}

func TestReplayOfAnExposition(t *testing.T) {
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { path = r.URL.Path }))
	defer server.Close()
	code, stdout, stderr := runWith("replay", "--endpoint", server.URL, "testdata/samples/vllm-production-stack-router.prom")
	assert.Zero(t, code, stderr)
	assert.Equal(t, "/v1/metrics", path)
	assert.Contains(t, stdout, "sent 1 document: ")
	assert.Contains(t, stdout, " data points to ")
}

func TestCompare(t *testing.T) {
	code, stdout, stderr := runWith("compare", offline, offline)
	assert.Zero(t, code)
	assert.Contains(t, stdout, "14 spans in, 0 changed, 14 untouched\n")
	assert.Empty(t, stderr)
}

// TestCompareOfEverySignal has what apply makes of a file, and the file.
func TestCompareOfEverySignal(t *testing.T) {
	for input, says := range map[string][]string{
		"testdata/captured/vllm/metrics/vllm-0.32.0.prom": {
			"metric: name            vllm:e2e_request_latency_seconds\n                                     → gen_ai.server.request.duration\n",
			"data points in, 3 changed, ",
		},
		"testdata/cases/log-records-with-the-keys-of-an-entry/input.json": {"log records in, 3 changed, "},
		chat: {"1 spans in, 1 changed, 0 untouched\n"},
	} {
		_, stdout, stderr := runWith("apply", "--job", "vllm", input)
		require.Empty(t, stderr)
		after := filepath.Join(t.TempDir(), "after.json")
		require.NoError(t, os.WriteFile(after, []byte(stdout), 0o600))
		code, stdout, stderr := runWith("compare", "--job", "vllm", input, after)
		assert.Zero(t, code, stderr)
		for _, text := range says {
			assert.Contains(t, stdout, text)
		}
		assert.NotContains(t, stdout, "only after")
		assert.NotContains(t, stdout, "missing")
	}
}

func TestDocsCoverage(t *testing.T) {
	page, err := os.ReadFile("docs/coverage.md")
	require.NoError(t, err)
	code, stdout, stderr := runWith("docs", "coverage")
	assert.Zero(t, code)
	assert.Equal(t, string(page), stdout)
	assert.Empty(t, stderr)
}

func TestAnErrorIsOneLineOnStderr(t *testing.T) {
	for name, args := range map[string][]string{
		"unknown command":           {"replya"},
		"nothing captured":          {"docs", "coverage", "--captured", "examples"},
		"unknown flag":              {"replay", "--fast", chat},
		"no file":                   {"replay"},
		"one file too few":          {"compare", chat},
		"missing file":              {"compare", chat, "none.json"},
		"not OTLP":                  {"replay", "go.mod"},
		"unknown protocol":          {"replay", "--protocol", "udp", chat},
		"not an endpoint":           {"replay", "--endpoint", "localhost", chat},
		"endpoint not up over http": {"replay", "--wait", "0s", "--endpoint", "http://127.0.0.1:1", chat},
		"endpoint not up over grpc": {"replay", "--wait", "0s", "--protocol", "grpc", "--endpoint", "http://127.0.0.1:1", chat},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runWith(args...)
			assert.Equal(t, 1, code)
			assert.Empty(t, stdout)
			assert.Regexp(t, `^genainormalize: [^\n]+\n$`, stderr)
		})
	}
}
