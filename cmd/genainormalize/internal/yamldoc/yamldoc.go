// SPDX-License-Identifier: Apache-2.0

// Package yamldoc reads YAML files that should hold one document.
package yamldoc // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/yamldoc"

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// First returns the first document of a file, and the line in which another one begins that says something, 0 if none
// does. Whoever reads such a file as one document, as a collector does, never sees the others.
func First(data []byte) (first yaml.Node, nextLine int, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&first); err != nil && !errors.Is(err, io.EOF) {
		return yaml.Node{}, 0, err
	}
	for {
		var next yaml.Node
		switch err := decoder.Decode(&next); {
		case errors.Is(err, io.EOF):
			return first, 0, nil
		case err != nil:
			return yaml.Node{}, 0, err
		case next.Content[0].Tag != "!!null":
			return first, next.Content[0].Line, nil
		}
	}
}
