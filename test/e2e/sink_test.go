// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// sink is the OTLP server that a collector exports to. It can go down, and comes up again at the same address.
type sink struct {
	address string
	// take is called for each request, by several goroutines. The exporter gets the answer when it returns.
	take   func(context.Context, batch)
	server *grpc.Server
}

// newSink chooses an address. Nobody listens there yet.
func newSink(t *testing.T, take func(context.Context, batch)) *sink {
	t.Helper()
	return &sink{address: net.JoinHostPort("127.0.0.1", freePort(t)), take: take}
}

// up tries again for a while: while nobody listens, a connection of anybody else can have the port.
func (s *sink) up(t *testing.T) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", s.address)
	for deadline := time.Now().Add(startWithin); err != nil && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
		listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", s.address)
	}
	require.NoError(t, err)
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, &traceSink{take: s.take})
	pmetricotlp.RegisterGRPCServer(server, &metricSink{take: s.take})
	t.Cleanup(server.Stop)
	go func() { _ = server.Serve(listener) }()
	s.server = server
}

// down answers what it has taken, so that the exporter knows of each request whether it arrived.
func (s *sink) down() { s.server.GracefulStop() }

type traceSink struct {
	ptraceotlp.UnimplementedGRPCServer
	take func(context.Context, batch)
}

func (s *traceSink) Export(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.take(ctx, spans{request.Traces()})
	return ptraceotlp.NewExportResponse(), nil
}

type metricSink struct {
	pmetricotlp.UnimplementedGRPCServer
	take func(context.Context, batch)
}

func (s *metricSink) Export(ctx context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	s.take(ctx, points{request.Metrics()})
	return pmetricotlp.NewExportResponse(), nil
}

// client is a connection to a collector's OTLP receiver. It sends once: a refused request is not tried again.
type client struct {
	traces  ptraceotlp.GRPCClient
	metrics pmetricotlp.GRPCClient
}

func dial(t *testing.T, address string) *client {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, connection.Close()) })
	return &client{traces: ptraceotlp.NewGRPCClient(connection), metrics: pmetricotlp.NewGRPCClient(connection)}
}
