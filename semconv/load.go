// SPDX-License-Identifier: Apache-2.0

package semconv

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// ErrUnknownTarget is wrapped by the error of [Load], which lists the targets there are.
var ErrUnknownTarget = errors.New("unknown target")

//go:embed registry/*.yaml registry/extension/*.yaml
var files embed.FS

// Extensions returns the names under inference.server., for what engines agree on and no target has a name for.
func Extensions() (*Registry, error) { return extensions() }

var extensions = sync.OnceValues(func() (*Registry, error) {
	const name = "registry/extension/inference.server.yaml"
	data, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
})

// Targets returns the names of the targets, sorted: the names of the files in registry/ without ending.
func Targets() []string { return targets(files) }

// Load returns the registry of a target, for example "1.41". A registry is read once and shared.
func Load(target string) (*Registry, error) {
	if loaded, ok := registries.Load(target); ok {
		return loaded.(*Registry), nil
	}
	registry, err := load(files, target)
	if err != nil {
		return nil, err
	}
	loaded, _ := registries.LoadOrStore(target, registry)
	return loaded.(*Registry), nil
}

// registries holds the embedded registries that were asked for. They never change.
var registries sync.Map

func targets(from fs.FS) []string {
	names, _ := fs.Glob(from, "registry/*.yaml") // the only error is a bad pattern
	for i, name := range names {
		names[i] = strings.TrimSuffix(path.Base(name), ".yaml")
	}
	slices.Sort(names)
	return names
}

func load(from fs.FS, target string) (*Registry, error) {
	known := targets(from)
	if !slices.Contains(known, target) {
		return nil, fmt.Errorf("%w %q: want one of %s", ErrUnknownTarget, target, strings.Join(known, ", "))
	}
	name := "registry/" + target + ".yaml"
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, err
	}
	registry, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	if registry.Target != target {
		return nil, fmt.Errorf("%s: %w: target is %q, want %q as in the name of the file", name, ErrTargetName, registry.Target, target)
	}
	return registry, nil
}
