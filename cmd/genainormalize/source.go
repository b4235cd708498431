// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

// source is what a command normalises, and with which configuration.
type source struct {
	config *config
	input  *input
}

// newSource adds the flags for both to a command.
func newSource(cmd *cobra.Command) *source { return &source{newConfig(cmd), newInput(cmd)} }

// read reads everything, so that a broken input or configuration leaves no half output.
func (s *source) read(stdin io.Reader, files []string) (*normalize.Normalizer, []otlpjson.Document, error) {
	normalizer, err := s.config.normalizer()
	if err != nil {
		return nil, nil, err
	}
	documents, err := s.input.readFilesOr(stdin, files)
	return normalizer, documents, err
}
