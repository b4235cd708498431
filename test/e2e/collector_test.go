// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	repository   = "../.."
	startWithin  = 30 * time.Second
	outputWithin = 30 * time.Second
	stopWithin   = 30 * time.Second

	// What the demo's configuration reads and writes.
	otlpPort   = "OTLP_HTTP_PORT"
	outputFile = "output.json"
)

// smallCollector returns the path of the small collector, built if need be.
var smallCollector = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("GENAINORMALIZE_COLLECTOR"); path != "" {
		return filepath.Abs(path)
	}
	const target = "bin/otelcol-genai-demo"
	if out, err := exec.Command("make", "-C", repository, target).CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return filepath.Abs(filepath.Join(repository, target))
})

func small(t *testing.T) string {
	t.Helper()
	path, err := smallCollector()
	require.NoError(t, err)
	return path
}

func full(t *testing.T) string {
	t.Helper()
	path := os.Getenv("GENAINORMALIZE_FULL_COLLECTOR")
	if path == "" {
		t.Skip("GENAINORMALIZE_FULL_COLLECTOR is not set")
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

// setup says which collector runs and how.
type setup struct {
	binary string
	// configs are what --config takes, one after the other.
	configs []string
	// ports are environment variables that the configuration reads a free port of 127.0.0.1 from.
	ports []string
	// env are other environment variables, as NAME=value.
	env []string
}

// collector is one that runs. Its configuration finds a folder of its own in OUTPUT_DIR.
type collector struct {
	process *exec.Cmd
	exited  chan error
	log     *logBuffer
	ports   map[string]string
	dir     string
}

// address returns what the collector listens on where its configuration reads a port from a variable.
func (c *collector) address(port string) string {
	return net.JoinHostPort("127.0.0.1", c.ports[port])
}

// file returns the path of a file in the collector's folder.
func (c *collector) file(name string) string {
	return filepath.Join(c.dir, name)
}

// logBuffer is written by the process and read by the test.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// errPortTaken is what start tries again after: another process took the port between the choice and the use.
var errPortTaken = errors.New("the port was taken")

// demo runs the small collector with the demo's configuration.
func demo(t *testing.T) *collector {
	t.Helper()
	return start(t, setup{binary: small(t), configs: []string{demoConfig}, ports: []string{otlpPort}})
}

// start runs a collector and waits until it is up.
func start(t *testing.T, s setup) *collector {
	t.Helper()
	for {
		c, err := tryToStart(t, s)
		if errors.Is(err, errPortTaken) {
			t.Logf("%v, trying others", err)
			continue
		}
		require.NoError(t, err)
		return c
	}
}

func tryToStart(t *testing.T, s setup) (*collector, error) {
	t.Helper()
	c := &collector{
		exited: make(chan error, 1),
		log:    &logBuffer{},
		ports:  map[string]string{},
		dir:    t.TempDir(),
	}
	c.process = exec.Command(s.binary)
	for _, config := range s.configs {
		c.process.Args = append(c.process.Args, "--config", config)
	}
	c.process.Env = append(os.Environ(), "OUTPUT_DIR="+c.dir, "OUTPUT_FILE="+c.file(outputFile))
	c.process.Env = append(c.process.Env, s.env...)
	for _, name := range s.ports {
		c.ports[name] = freePort(t)
		c.process.Env = append(c.process.Env, name+"="+c.ports[name])
	}
	c.process.Stdout, c.process.Stderr = c.log, c.log
	require.NoError(t, c.process.Start())
	go func() { c.exited <- c.process.Wait() }()
	t.Cleanup(func() { _ = c.process.Process.Kill() })

	deadline := time.After(startWithin)
	for !strings.Contains(c.log.String(), "Everything is ready") {
		select {
		case err := <-c.exited:
			if strings.Contains(c.log.String(), "address already in use") {
				return nil, fmt.Errorf("%w: %v", errPortTaken, c.ports)
			}
			return nil, fmt.Errorf("the collector did not start: %w\n%s", err, c.log)
		case <-deadline:
			return nil, fmt.Errorf("the collector did not start in time\n%s", c.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return c, nil
}

// freePort asks the kernel for a port.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

// pass sends a file with OTLP/JSON documents, one a line or a single one, and returns what the file exporter made of it.
func (c *collector) pass(t *testing.T, file string) ptrace.Traces {
	t.Helper()
	in := readTraces(t, file)
	c.send(t, in)
	c.await(t, "every span", func() bool {
		out, err := readLines(c.file(outputFile))
		return err == nil && out.SpanCount() >= in.SpanCount()
	})
	c.stop(t)
	return readTraces(t, c.file(outputFile))
}

func (c *collector) send(t *testing.T, td ptrace.Traces) {
	t.Helper()
	body, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	c.post(t, "traces", body)
}

// post sends OTLP/JSON of a signal.
func (c *collector) post(t *testing.T, signal string, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.address(otlpPort)+"/v1/"+signal, bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode, c.log)
}

// stop ends the collector as a service manager does. It can die of the signal: it says that it is ready a moment
// before it listens to signals.
func (c *collector) stop(t *testing.T) {
	t.Helper()
	if err := c.end(t, os.Interrupt); err != nil {
		require.EqualError(t, err, "signal: interrupt", c.log)
	}
}

// end sends a signal and returns how the collector exited.
func (c *collector) end(t *testing.T, signal os.Signal) (err error) {
	t.Helper()
	require.NoError(t, c.process.Process.Signal(signal))
	select {
	case err = <-c.exited:
	case <-time.After(stopWithin):
		require.FailNow(t, "the collector did not stop in time", c.log.String())
	}
	return err
}

// await asks again and again until a condition holds. It does so in the test's own goroutine, where a test may fail.
func (c *collector) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(outputWithin); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			require.FailNow(t, "in time there was not "+what, c.log.String())
		}
	}
}

// readTraces reads a file that holds one pretty-printed document or one document a line.
func readTraces(t *testing.T, path string) ptrace.Traces {
	t.Helper()
	td, err := readLines(path)
	if err != nil {
		td, err = golden.ReadTraces(path)
	}
	require.NoError(t, err, path)
	return td
}

// readLines puts the documents of a file together in their order.
func readLines(path string) (ptrace.Traces, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return ptrace.Traces{}, err
	}
	all := ptrace.NewTraces()
	for line := range bytes.Lines(text) {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			return ptrace.Traces{}, err
		}
		td.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	return all, nil
}

// validate runs `validate` on a configuration, in the root of the repository, and returns what the collector says.
func validate(t *testing.T, binary, config string) (output string, err error) {
	t.Helper()
	config, err = filepath.Abs(config)
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), binary, "validate", "--config", config)
	command.Dir = repository
	out, err := command.CombinedOutput()
	return string(out), err
}
