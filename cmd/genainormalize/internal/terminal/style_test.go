// SPDX-License-Identifier: Apache-2.0

package terminal // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/terminal"

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPaint(t *testing.T) {
	assert.Equal(t, "\x1b[31mgone\x1b[0m", Style{coloured: true}.Paint(Red, "gone"))
	assert.Empty(t, Style{coloured: true}.Paint(Red, ""))
	assert.Equal(t, "gone", Style{}.Paint(Red, "gone"))
}

func TestStyleFor(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	assert.Equal(t, Style{}, StyleFor(file), "a file is no terminal")
	assert.Equal(t, Style{}, StyleFor(&strings.Builder{}), "nor is a buffer")

	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // stands in for a terminal: a character device
	require.NoError(t, err)
	defer device.Close()
	assert.Equal(t, Style{coloured: true}, StyleFor(device))
	t.Setenv("TERM", "dumb")
	assert.Equal(t, Style{}, StyleFor(device), "TERM=dumb")
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	assert.Equal(t, Style{}, StyleFor(device), "NO_COLOR")
}
