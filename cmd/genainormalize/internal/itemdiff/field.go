// SPDX-License-Identifier: Apache-2.0

package itemdiff // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/itemdiff"

import "go.opentelemetry.io/collector/pdata/pcommon"

// field is a part of an item that is not one of its attributes. An empty value is one that is not set.
type field struct {
	key, value string
}

// What the keys of a scope's and a resource's fields begin with.
const (
	scopePrefix    = "scope: "
	resourcePrefix = "resource: "
)

// sharedFields lists what an item has in common with the others of its scope.
func sharedFields(scope pcommon.InstrumentationScope, schemaURL string, resource pcommon.Resource, resourceSchemaURL string) []field {
	list := []field{
		{scopePrefix + "name", scope.Name()},
		{scopePrefix + "version", scope.Version()},
		{scopePrefix + "schema_url", schemaURL},
		{resourcePrefix + "schema_url", resourceSchemaURL},
	}
	list = appendMap(list, scopePrefix, scope.Attributes())
	return appendMap(list, resourcePrefix, resource.Attributes())
}

func appendMap(list []field, prefix string, attributes pcommon.Map) []field {
	for key, value := range attributes.All() {
		list = append(list, field{prefix + key, format(value)})
	}
	return list
}

// diffFields lists the fields that changed.
func diffFields(before, after []field) []Change {
	now := make(map[string]string, len(after))
	for _, f := range after {
		now[f.key] = f.value
	}
	var changes []Change
	for _, f := range before {
		changes = appendField(changes, f.key, f.value, now[f.key])
		delete(now, f.key)
	}
	for _, f := range after {
		if value, ok := now[f.key]; ok {
			changes = appendField(changes, f.key, "", value)
		}
	}
	return changes
}

func appendField(changes []Change, key, before, after string) []Change {
	switch {
	case before == after:
		return changes
	case before == "":
		return append(changes, Change{Kind: Added, NewKey: key, After: after})
	case after == "":
		return append(changes, Change{Kind: Removed, Key: key, Before: before})
	default:
		return append(changes, Change{Kind: Converted, Key: key, NewKey: key, Before: before, After: after})
	}
}
