// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/exposition"
	"github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/otlpjson"
)

// input reads OTLP/JSON and Prometheus expositions. Which of them a file holds shows in its first characters.
type input struct {
	target exposition.Target
}

// newInput returns the input of a command and adds the flags that say what an exposition does not.
func newInput(cmd *cobra.Command) *input {
	in := &input{exposition.Target{Time: time.Now()}}
	cmd.Flags().StringVar(&in.target.Job, "job", "prometheus", "scrape job of Prometheus expositions, their service.name")
	cmd.Flags().StringVar(&in.target.Instance, "instance", "localhost:8000",
		"host and port that Prometheus expositions are from, their service.instance.id")
	return in
}

// readFilesOr reads files or, if there are none, standard input.
func (in *input) readFilesOr(stdin io.Reader, paths []string) ([]otlpjson.Document, error) {
	if len(paths) == 0 {
		return in.read("standard input", stdin)
	}
	return in.readFiles(paths)
}

func (in *input) readFiles(paths []string) ([]otlpjson.Document, error) {
	var all []otlpjson.Document
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		documents, err := in.decode(path, data)
		if err != nil {
			return nil, err
		}
		all = append(all, documents...)
	}
	return all, nil
}

// read reads one file. The name stands in errors.
func (in *input) read(name string, r io.Reader) ([]otlpjson.Document, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return in.decode(name, data)
}

func (in *input) decode(name string, data []byte) ([]otlpjson.Document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // Some editors begin a file with a byte order mark.
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: holds no OTLP/JSON document and no Prometheus exposition", name)
	}
	if !exposition.Is(data) {
		return otlpjson.Read(name, bytes.NewReader(data))
	}
	md, err := exposition.Parse(data, in.target)
	if err != nil {
		return nil, fmt.Errorf("%s: Prometheus exposition: %w", name, err)
	}
	return []otlpjson.Document{md}, nil
}
