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

const (
	// maxVersionLength is more than any version needs.
	maxVersionLength = 64
	// separator stands between engines and versions, and in none of them.
	separator = 0
)

// forResource returns the normalizer for the versions that a resource states: n itself where it states none, or
// none that is a version.
func (n *Normalizer) forResource(resource pcommon.Resource) *Normalizer {
	var buffer [4 * maxVersionLength]byte // More than any versions need, so that nothing is allocated.
	key := buffer[:0]
	for _, a := range n.rules.VersionAttributes() {
		if version := statedVersion(resource, a.Attribute); version != "" {
			key = append(append(key, a.Engine...), separator)
			key = append(append(key, version...), separator)
		}
	}
	if len(key) == 0 {
		return n
	}
	n.variants.mu.RLock()
	known := n.variants.byVersions[string(key)]
	n.variants.mu.RUnlock()
	if known != nil {
		return known
	}
	return n.newVersions(string(key), resource)
}

// statedVersion returns what a resource says a version is, or nothing.
func statedVersion(resource pcommon.Resource, attribute string) string {
	v, ok := resource.Attributes().Get(attribute)
	if !ok || v.Type() != pcommon.ValueTypeStr || len(v.Str()) > maxVersionLength || strings.IndexByte(v.Str(), separator) >= 0 {
		return ""
	}
	return v.Str()
}

// newVersions returns the normalizer for versions that were not met before, and remembers it as long as there is room.
func (n *Normalizer) newVersions(key string, resource pcommon.Resource) *Normalizer {
	versions := map[string]string{}
	for _, a := range n.rules.VersionAttributes() {
		if version := statedVersion(resource, a.Attribute); mapping.ValidateVersion(version) == nil {
			versions[a.Engine] = version
		}
	}
	signature := n.rules.VersionSignature(versions) // Not under the lock: it takes long, and any data may ask for it.
	n.variants.mu.Lock()
	defer n.variants.mu.Unlock()
	made := n.variant(signature, versions)
	if len(n.variants.byVersions) < maxVersions {
		if n.variants.byVersions == nil {
			n.variants.byVersions = map[string]*Normalizer{}
		}
		n.variants.byVersions[key] = made
	}
	return made
}

// variant returns the normalizer for all versions for which the same rows hold. The caller has the lock.
func (n *Normalizer) variant(signature string, versions map[string]string) *Normalizer {
	if signature == "" {
		return n
	}
	if known := n.variants.bySignature[signature]; known != nil {
		return known
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
