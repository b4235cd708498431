// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
)

//go:embed tables/*.yaml
var embedded embed.FS

// Tables returns the tables that come with this package, ordered by file name. They are read once and shared, so
// they must not be changed.
func Tables() ([]*Table, error) {
	tables, err := embeddedTables()
	return slices.Clone(tables), err
}

var embeddedTables = sync.OnceValues(func() ([]*Table, error) { return loadFS(embedded, "tables/*.yaml") })

func loadFS(fsys fs.FS, pattern string) ([]*Table, error) {
	files, err := fs.Glob(fsys, pattern)
	if err != nil {
		return nil, err
	}
	tables := make([]*Table, len(files))
	for i, file := range files {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrReadTable, err)
		}
		if tables[i], err = ParseTable(file, data); err != nil {
			return nil, err
		}
		tables[i].embedded = true
		for at := range tables[i].places() {
			at.embedded = true
		}
	}
	return tables, nil
}

// ReadTable reads a table of the user's from a file. Errors wrap [ErrReadTable] or [ErrInvalidTable] and list all faults, in
// a line each.
func ReadTable(path string) (*Table, error) {
	t, faults := CheckFile(path)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return t, nil
}

// CheckFile is [ReadTable] for those who want the faults one by one, as [CheckTable] is [ParseTable].
func CheckFile(path string) (*Table, []error) {
	data, err := readFile(path)
	if err != nil {
		return nil, []error{fmt.Errorf("%w: %w", ErrReadTable, err)}
	}
	return CheckTable(path, data)
}

func readFile(path string) ([]byte, error) {
	if path == "" {
		return nil, errNoFileName
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%q: %w", path, errDirectory)
	}
	return os.ReadFile(path) //nolint:gosec // Reading the file that the configuration names is the purpose.
}

var (
	errNoFileName = errors.New(`"": the name of a file is expected`)
	errDirectory  = errors.New("a file is expected, not a directory")
)
