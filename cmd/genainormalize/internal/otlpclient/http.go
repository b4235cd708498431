// SPDX-License-Identifier: Apache-2.0

package otlpclient // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpclient"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	requestTimeout = 30 * time.Second
	maxResponse    = 1 << 20 // bytes
)

var errStatus = errors.New("refused the request")

type httpTransport struct {
	base   *url.URL
	client *http.Client
}

func newHTTPTransport(base *url.URL) *httpTransport {
	return &httpTransport{base: base, client: &http.Client{Timeout: requestTimeout}}
}

func (t *httpTransport) traces(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response := ptraceotlp.NewExportResponse()
	return response, t.post(ctx, "v1/traces", request, response)
}

func (t *httpTransport) metrics(ctx context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	response := pmetricotlp.NewExportResponse()
	return response, t.post(ctx, "v1/metrics", request, response)
}

func (t *httpTransport) logs(ctx context.Context, request plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	response := plogotlp.NewExportResponse()
	return response, t.post(ctx, "v1/logs", request, response)
}

func (t *httpTransport) close() error {
	t.client.CloseIdleConnections()
	return nil
}

func (t *httpTransport) post(
	ctx context.Context, path string,
	request interface{ MarshalProto() ([]byte, error) },
	response interface{ UnmarshalProto([]byte) error },
) error {
	body, err := request.MarshalProto()
	if err != nil {
		return err
	}
	httpRequest, err := http.NewRequestWithContext(ctx, http.MethodPost, t.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	httpRequest.Header.Set("Content-Type", "application/x-protobuf")

	httpResponse, err := t.client.Do(httpRequest)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotUp, withoutURL(err))
	}
	defer httpResponse.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(httpResponse.Body, maxResponse))
	if err != nil {
		return err
	}
	if httpResponse.StatusCode/100 != 2 {
		return fmt.Errorf("%w: %s: %s", errStatus, httpResponse.Status, statusMessage(answer))
	}
	return response.UnmarshalProto(answer)
}

// withoutURL drops the method and URL that net/http puts before an error: the endpoint is named once, by the client.
func withoutURL(err error) error {
	if urlError, ok := errors.AsType[*url.Error](err); ok {
		return urlError.Err
	}
	return err
}

// statusMessage reads the body of an OTLP/HTTP failure, a google.rpc.Status. Other bodies come from what sits between,
// a proxy for example, and are returned as they are.
func statusMessage(body []byte) string {
	var status spb.Status
	if err := proto.Unmarshal(body, &status); err == nil && status.GetMessage() != "" {
		return status.GetMessage()
	}
	return string(body)
}
