// SPDX-License-Identifier: Apache-2.0

package exposition // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/exposition"

import (
	"net"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const (
	receiverScope = "github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"

	targetInfo     = "target_info"
	scopePrefix    = "otel_scope_"
	scopeName      = scopePrefix + "name"
	scopeVersion   = scopePrefix + "version"
	scopeSchemaURL = scopePrefix + "schema_url"
)

type resource struct {
	attributes pcommon.Map
}

func newResource(target Target) resource {
	host, port, err := net.SplitHostPort(target.Instance)
	if err != nil {
		host = target.Instance
	}
	attributes := pcommon.NewMap()
	attributes.PutStr("service.name", target.Job)
	if !isThisMachine(host) {
		attributes.PutStr("server.address", host)
	}
	attributes.PutStr("service.instance.id", target.Instance)
	attributes.PutStr("server.port", port)
	attributes.PutStr("url.scheme", "http")
	return resource{attributes}
}

// isThisMachine tells whether a host is an address that means another machine on each machine.
func isThisMachine(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	return host == "localhost"
}

// addInfo adds the labels of a target_info sample.
func (r resource) addInfo(ls labels.Labels) {
	ls.Range(func(l labels.Label) {
		if l.Name != model.MetricNameLabel {
			r.attributes.PutStr(l.Name, l.Value)
		}
	})
}

// scopeKey is a scope; the zero value is that of the receiver.
type scopeKey struct {
	name, version, schemaURL, attributes string
}

func scopeKeyOf(ls labels.Labels) scopeKey {
	key := scopeKey{name: ls.Get(scopeName), version: ls.Get(scopeVersion), schemaURL: ls.Get(scopeSchemaURL)}
	rangeScopeAttributes(ls, func(name, value string) {
		key.attributes += name + "\xff" + value + "\xff" // a byte that is in no UTF-8
	})
	return key
}

func rangeScopeAttributes(ls labels.Labels, do func(name, value string)) {
	ls.Range(func(l labels.Label) {
		switch l.Name {
		case scopeName, scopeVersion, scopeSchemaURL:
			return
		}
		if name, ok := strings.CutPrefix(l.Name, scopePrefix); ok {
			do(name, l.Value)
		}
	})
}

// scope is the families of an instrumentation scope.
type scope struct {
	key scopeKey
	// labels are those of its first sample.
	labels   labels.Labels
	families map[string]*family
	// order holds the names of the families as they appeared.
	order []string
}

// family returns the family of a sample, a new one if there is none that takes it. If another family has the name of
// the new one, that goes.
func (s *scope) family(sample string, declared declarations) *family {
	if f, ok := s.families[sample]; ok {
		return f
	}
	base := sample
	if _, ok := declared[sample]; !ok {
		base = withoutSuffix(sample)
		counter, ok := declared[base]
		if ok && counter.typ == model.MetricTypeCounter && strings.HasSuffix(sample, createdSuffix) {
			base += totalSuffix
		}
	}
	if f, ok := s.families[base]; ok && f.includes(sample) {
		return f
	}
	known, name := declared.ofSample(sample)
	if _, ok := s.families[name]; !ok {
		s.order = append(s.order, name)
	}
	f := newFamily(name, known)
	s.families[name] = f
	return f
}

func (s *scope) writeTo(to pmetric.ScopeMetrics) error {
	if s.key == (scopeKey{}) {
		to.Scope().SetName(receiverScope)
	} else {
		to.Scope().SetName(s.key.name)
		to.Scope().SetVersion(s.key.version)
		to.SetSchemaUrl(s.key.schemaURL)
		rangeScopeAttributes(s.labels, to.Scope().Attributes().PutStr)
	}
	for _, name := range s.order {
		if err := s.families[name].writeTo(to.Metrics()); err != nil {
			return err
		}
	}
	return nil
}
