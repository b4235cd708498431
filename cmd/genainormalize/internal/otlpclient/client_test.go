// SPDX-License-Identifier: Apache-2.0

package otlpclient // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpclient"

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func traces() ptrace.Traces {
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("llm_request")
	return td
}

func newClient(t *testing.T, protocol Protocol, endpoint string) *Client {
	t.Helper()
	client, err := New(protocol, endpoint)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	return client
}

func TestHTTP(t *testing.T) {
	var paths []string
	received := ptraceotlp.NewExportRequest()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		body, err := io.ReadAll(r.Body)
		if r.URL.Path == "/base/v1/traces" && assert.NoError(t, err) {
			assert.NoError(t, received.UnmarshalProto(body))
		}
		w.WriteHeader(http.StatusOK)
	}))
	defer server.Close()

	client := newClient(t, HTTP, server.URL+"/base")
	require.NoError(t, client.Send(t.Context(), traces()))
	require.NoError(t, client.Send(t.Context(), pmetric.NewMetrics()))
	require.NoError(t, client.Send(t.Context(), plog.NewLogs()))
	assert.Equal(t, []string{"/base/v1/traces", "/base/v1/metrics", "/base/v1/logs"}, paths)
	assert.Equal(t, traces(), received.Traces())
}

func TestHTTPAnswers(t *testing.T) {
	statusBody, err := proto.Marshal(&spb.Status{Message: "too many spans"})
	require.NoError(t, err)
	partial := ptraceotlp.NewExportResponse()
	partial.PartialSuccess().SetRejectedSpans(1)
	partial.PartialSuccess().SetErrorMessage("no trace id")
	partialBody, err := partial.MarshalProto()
	require.NoError(t, err)

	for name, test := range map[string]struct {
		code int
		body []byte
		want string
	}{
		"a failure with an OTLP status": {http.StatusBadRequest, statusBody, "refused the request: 400 Bad Request: too many spans"},
		"a failure of something else":   {http.StatusNotFound, []byte("no such page"), "refused the request: 404 Not Found: no such page"},
		"a partial success":             {http.StatusOK, partialBody, "rejected items: 1: no trace id"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.code)
				_, err := w.Write(test.body)
				assert.NoError(t, err)
			}))
			defer server.Close()
			client := newClient(t, HTTP, server.URL)
			client.WaitUntilUp(time.Minute) // answers are not waited away
			err := client.Send(t.Context(), traces())
			require.ErrorContains(t, err, server.URL)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// traceServer accepts traces, or fails with a status.
type traceServer struct {
	ptraceotlp.UnimplementedGRPCServer
	fail     error
	received chan ptrace.Traces
}

func (s *traceServer) Export(_ context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	if s.fail == nil {
		s.received <- request.Traces()
	}
	return ptraceotlp.NewExportResponse(), s.fail
}

func serve(t *testing.T, listener net.Listener, traces *traceServer) {
	t.Helper()
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, traces)
	go func() { assert.NoError(t, server.Serve(listener)) }()
	t.Cleanup(server.Stop)
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	return listener
}

func TestGRPC(t *testing.T) {
	listener := listen(t, "127.0.0.1:0")
	server := &traceServer{received: make(chan ptrace.Traces, 1)}
	serve(t, listener, server)
	client := newClient(t, GRPC, "http://"+listener.Addr().String())
	require.NoError(t, client.Send(t.Context(), traces()))
	assert.Equal(t, 1, (<-server.received).SpanCount())

	err := client.Send(t.Context(), plog.NewLogs())
	assert.ErrorContains(t, err, "refused the request: Unimplemented")
}

func TestGRPCRefusal(t *testing.T) {
	listener := listen(t, "127.0.0.1:0")
	serve(t, listener, &traceServer{fail: status.Error(codes.InvalidArgument, "too many spans")})
	client := newClient(t, GRPC, "http://"+listener.Addr().String())
	client.WaitUntilUp(time.Minute)
	assert.ErrorContains(t, client.Send(t.Context(), traces()), "refused the request: InvalidArgument: too many spans")
}

func TestAnEndpointThatIsNotUpYetIsWaitedFor(t *testing.T) {
	for _, protocol := range []Protocol{HTTP, GRPC} {
		t.Run(protocol.String(), func(t *testing.T) {
			listener := listen(t, "127.0.0.1:0")
			address := listener.Addr().String()
			require.NoError(t, listener.Close())

			client := newClient(t, protocol, "http://"+address)
			require.ErrorIs(t, client.Send(t.Context(), traces()), errNotUp, "without waiting")

			client.WaitUntilUp(time.Minute)
			sent := make(chan error)
			go func() { sent <- client.Send(t.Context(), traces()) }()
			time.Sleep(2 * retryInterval)
			serveProtocol(t, protocol, listen(t, address))
			require.NoError(t, <-sent)
		})
	}
}

func serveProtocol(t *testing.T, protocol Protocol, listener net.Listener) {
	t.Helper()
	if protocol == GRPC {
		serve(t, listener, &traceServer{received: make(chan ptrace.Traces, 1)})
		return
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	listener := listen(t, "127.0.0.1:0")
	require.NoError(t, listener.Close())
	client := newClient(t, HTTP, "http://"+listener.Addr().String())
	client.WaitUntilUp(time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), retryInterval/2)
	defer cancel()
	assert.ErrorIs(t, client.Send(ctx, traces()), context.DeadlineExceeded)
}

func TestBadEndpoint(t *testing.T) {
	for _, endpoint := range []string{"", "localhost:4318", "127.0.0.1:4318", "ftp://host", "http://"} {
		_, err := New(HTTP, endpoint)
		assert.ErrorContains(t, err, "use a URL such as http://127.0.0.1:4318", endpoint)
	}
}
