// SPDX-License-Identifier: Apache-2.0

// Package otlpclient sends telemetry to an OTLP endpoint, once and in order: no queue, no batching.
package otlpclient // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpclient"

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

// retryInterval is short because the usual wait is for a collector that was started a moment ago on the same machine.
const retryInterval = 100 * time.Millisecond

var (
	errNotUp    = errors.New("cannot be reached")
	errRejected = errors.New("accepted the request but rejected items")
	errEndpoint = errors.New("is not an endpoint, use a URL such as")
)

// transport carries the three OTLP requests. An error that wraps errNotUp may go away by waiting.
type transport interface {
	traces(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error)
	metrics(context.Context, pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error)
	logs(context.Context, plogotlp.ExportRequest) (plogotlp.ExportResponse, error)
	close() error
}

// Client sends documents to one endpoint.
type Client struct {
	endpoint  string
	transport transport
	deadline  time.Time
}

// New returns a client for an endpoint such as http://127.0.0.1:4318; with https the connection is encrypted.
// It does not connect yet.
func New(protocol Protocol, endpoint string) (*Client, error) {
	target, err := url.Parse(endpoint)
	if err != nil || target.Host == "" || (target.Scheme != "http" && target.Scheme != "https") {
		return nil, fmt.Errorf("%q %w %s", endpoint, errEndpoint, protocol.DefaultEndpoint())
	}
	if protocol != GRPC {
		return &Client{endpoint: endpoint, transport: newHTTPTransport(target)}, nil
	}
	overGRPC, err := newGRPCTransport(target)
	if err != nil {
		return nil, err
	}
	return &Client{endpoint: endpoint, transport: overGRPC}, nil
}

// WaitUntilUp lets Send try again for the given time from now while the endpoint cannot be reached.
func (c *Client) WaitUntilUp(wait time.Duration) { c.deadline = time.Now().Add(wait) }

// Send sends one document. It returns an error when the endpoint cannot be reached, refuses the request or rejects a
// part of it.
func (c *Client) Send(ctx context.Context, document otlpjson.Document) error {
	for {
		err := c.try(ctx, document)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, errNotUp) || time.Now().After(c.deadline):
			return fmt.Errorf("%s %w", c.endpoint, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryInterval):
		}
	}
}

func (c *Client) try(ctx context.Context, document otlpjson.Document) error {
	switch d := document.(type) {
	case ptrace.Traces:
		response, err := c.transport.traces(ctx, ptraceotlp.NewExportRequestFromTraces(d))
		if err != nil {
			return err
		}
		return rejected(response.PartialSuccess().RejectedSpans(), response.PartialSuccess().ErrorMessage())
	case pmetric.Metrics:
		response, err := c.transport.metrics(ctx, pmetricotlp.NewExportRequestFromMetrics(d))
		if err != nil {
			return err
		}
		return rejected(response.PartialSuccess().RejectedDataPoints(), response.PartialSuccess().ErrorMessage())
	case plog.Logs:
		response, err := c.transport.logs(ctx, plogotlp.NewExportRequestFromLogs(d))
		if err != nil {
			return err
		}
		return rejected(response.PartialSuccess().RejectedLogRecords(), response.PartialSuccess().ErrorMessage())
	default:
		return fmt.Errorf("cannot be sent a %T", document)
	}
}

func rejected(items int64, message string) error {
	if items == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d: %s", errRejected, items, message)
}

// Close ends the connection.
func (c *Client) Close() error { return c.transport.close() }
