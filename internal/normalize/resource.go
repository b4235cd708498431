// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	conventions "go.opentelemetry.io/otel/semconv/v1.41.0"
)

// unknownService is what SDKs call a service that was given no name, followed by :executable in some.
const unknownService = "unknown_service"

// resourceProvider is the one provider of a resource's items.
type resourceProvider struct {
	name      string
	ambiguous bool
}

func (p *resourceProvider) add(provider string) {
	if provider == "" {
		return // An attribute that is no string.
	}
	if p.name == "" {
		p.name = provider
	}
	p.ambiguous = p.ambiguous || p.name != provider
}

// fillServiceName names a service that has no name of its own after the provider. Where a resource holds the
// items of two providers there is no answer, and the order of items must not decide. It tells whether it did.
func (p *resourceProvider) fillServiceName(resource pcommon.Map) bool {
	if p.name == "" || p.ambiguous {
		return false
	}
	name, ok := resource.Get(string(conventions.ServiceNameKey))
	switch {
	case !ok:
		resource.PutStr(string(conventions.ServiceNameKey), p.name)
	case name.Type() == pcommon.ValueTypeStr && isUnnamed(name.Str()):
		name.SetStr(p.name)
	default:
		return false
	}
	return true
}

func isUnnamed(service string) bool {
	return service == "" || service == unknownService || strings.HasPrefix(service, unknownService+":")
}
