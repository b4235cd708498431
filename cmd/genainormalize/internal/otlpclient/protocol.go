// SPDX-License-Identifier: Apache-2.0

package otlpclient // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpclient"

import "fmt"

// Protocol is an OTLP transport. It can be used as a command line flag.
type Protocol string

// The transports.
const (
	HTTP Protocol = "http" // OTLP/HTTP with protobuf bodies
	GRPC Protocol = "grpc"
)

// DefaultEndpoint returns the loopback endpoint with the protocol's registered port.
func (p Protocol) DefaultEndpoint() string {
	if p == GRPC {
		return "http://127.0.0.1:4317"
	}
	return "http://127.0.0.1:4318"
}

// String returns the protocol's name.
func (p Protocol) String() string { return string(p) }

// Set accepts the name of a protocol.
func (p *Protocol) Set(name string) error {
	switch protocol := Protocol(name); protocol {
	case HTTP, GRPC:
		*p = protocol
		return nil
	default:
		return fmt.Errorf("must be %q or %q", HTTP, GRPC)
	}
}

// Type names the kind of value in the help text.
func (Protocol) Type() string { return "protocol" }
