// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// variants are normalizers for the engine versions that resources state. There are as many as rows tell versions
// apart, which is few. The versions themselves come from the data, so that only so many are remembered.
type variants struct {
	mu          sync.RWMutex
	byVersions  map[string]*Normalizer
	bySignature map[string]*Normalizer
}

const maxVersions = 64

// forResource returns the normalizer for the versions that a resource states: n itself where it states none, or
// none that is a version.
func (n *Normalizer) forResource(resource pcommon.Resource) *Normalizer {
	attributes := n.rules.VersionAttributes()
	if len(attributes) == 0 {
		return n
	}
	var key strings.Builder
	var versions map[string]string
	for _, a := range attributes {
		version, ok := resource.Attributes().Get(a.Attribute)
		if !ok || version.Type() != pcommon.ValueTypeStr || version.Str() == "" || len(version.Str()) > maxVersionLength {
			continue
		}
		if versions == nil {
			versions = map[string]string{}
		}
		versions[a.Engine] = version.Str()
		key.WriteString(a.Engine + "\x00" + version.Str() + "\x00")
	}
	if versions == nil {
		return n
	}
	return n.variant(key.String(), versions)
}

// maxVersionLength is more than any version needs.
const maxVersionLength = 64

func (n *Normalizer) variant(key string, versions map[string]string) *Normalizer {
	n.variants.mu.RLock()
	known := n.variants.byVersions[key]
	n.variants.mu.RUnlock()
	if known != nil {
		return known
	}
	n.variants.mu.Lock()
	defer n.variants.mu.Unlock()
	made := n.bySignature(versions)
	if len(n.variants.byVersions) < maxVersions {
		if n.variants.byVersions == nil {
			n.variants.byVersions = map[string]*Normalizer{}
		}
		n.variants.byVersions[strings.Clone(key)] = made
	}
	return made
}

// bySignature returns the normalizer for all versions for which the same rows hold. The caller has the lock.
func (n *Normalizer) bySignature(versions map[string]string) *Normalizer {
	signature := n.rules.VersionSignature(versions)
	if signature == "" {
		return n
	}
	if known := n.variants.bySignature[signature]; known != nil {
		return known
	}
	for engine, version := range versions {
		if mapping.ValidateVersion(version) != nil {
			delete(versions, engine)
		}
	}
	made := n
	if rules, err := n.rules.WithVersions(versions); err == nil {
		made = New(rules, n.opts)
	}
	if n.variants.bySignature == nil {
		n.variants.bySignature = map[string]*Normalizer{}
	}
	n.variants.bySignature[signature] = made
	return made
}
