// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// engines answers like the /metrics of several servers, each below a path of its own.
type engines struct {
	server *httptest.Server
	// answers counts what was not refused.
	answers atomic.Int64

	mu    sync.Mutex
	texts map[string]string
}

func serve(t *testing.T) *engines {
	t.Helper()
	e := &engines{texts: map[string]string{}}
	e.server = httptest.NewServer(e)
	t.Cleanup(e.server.Close)
	return e
}

// ServeHTTP answers as the Python client library of Prometheus does: what is in OpenMetrics is called so.
func (e *engines) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	text, ok := e.texts[strings.TrimPrefix(r.URL.Path, "/")]
	e.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	contentType := "text/plain; version=0.0.4; charset=utf-8"
	if strings.HasSuffix(text, "# EOF\n") {
		contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write([]byte(text))
	e.answers.Add(1)
}

// expose lets a server answer with a text from now on.
func (e *engines) expose(name, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.texts[name] = text
}

// leave ends a server: its path is not found any more.
func (e *engines) leave(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.texts, name)
}

func (e *engines) address() string {
	return e.server.Listener.Addr().String()
}

// scrapeConfigs returns a job for each server, by its name, as an environment variable.
func (e *engines) scrapeConfigs(names ...string) string {
	jobs := make([]string, 0, len(names))
	for _, name := range names {
		jobs = append(jobs, fmt.Sprintf("{job_name: %q, metrics_path: %q, static_configs: [{targets: [%q]}]}", name, "/"+name, e.address()))
	}
	return "SCRAPE_CONFIGS=[" + strings.Join(jobs, ", ") + "]"
}

// exposition returns what a real server answered on /metrics.
func exposition(t *testing.T, name string) string {
	t.Helper()
	engine, _, _ := strings.Cut(name, "-")
	if engine == "smg" {
		engine = "sglang"
	}
	text, err := os.ReadFile(filepath.Join(captured, engine, "metrics", name+".prom"))
	require.NoError(t, err)
	return string(text)
}
