// SPDX-License-Identifier: Apache-2.0

package otlpclient // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpclient"

import (
	"context"
	"fmt"
	"net/url"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

type grpcTransport struct {
	connection *grpc.ClientConn
}

func newGRPCTransport(target *url.URL) (*grpcTransport, error) {
	security := insecure.NewCredentials()
	if target.Scheme == "https" {
		security = credentials.NewTLS(nil)
	}
	connection, err := grpc.NewClient(target.Host, grpc.WithTransportCredentials(security))
	if err != nil {
		return nil, err
	}
	return &grpcTransport{connection: connection}, nil
}

func (t *grpcTransport) traces(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response, err := ptraceotlp.NewGRPCClient(t.connection).Export(ctx, request)
	return response, readable(err)
}

func (t *grpcTransport) metrics(ctx context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	response, err := pmetricotlp.NewGRPCClient(t.connection).Export(ctx, request)
	return response, readable(err)
}

func (t *grpcTransport) logs(ctx context.Context, request plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	response, err := plogotlp.NewGRPCClient(t.connection).Export(ctx, request)
	return response, readable(err)
}

func (t *grpcTransport) close() error { return t.connection.Close() }

func readable(err error) error {
	switch code := status.Code(err); code {
	case codes.OK:
		return nil
	case codes.Unavailable:
		return fmt.Errorf("%w: %s", errNotUp, status.Convert(err).Message())
	default:
		return fmt.Errorf("%w: %s: %s", errStatus, code, status.Convert(err).Message())
	}
}
