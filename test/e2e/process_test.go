// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullOnLinux returns the full collector, where the kernel tells what a process uses.
func fullOnLinux(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("what a process uses is read from /proc")
	}
	if *page == "" {
		t.Skip("it takes minutes and an idle machine: run by make load and make soak")
	}
	return full(t)
}

type mebibytes int

// peakMemory returns the most memory that a collector had resident, as Linux knows it.
func peakMemory(t *testing.T, c *collector) mebibytes {
	t.Helper()
	match := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(ofProcess(t, c, "status"))
	require.NotNil(t, match)
	kibibytes, err := strconv.Atoi(match[1])
	require.NoError(t, err)
	return mebibytes(kibibytes / 1024)
}

// ofProcess reads a file that the kernel has about a process.
func ofProcess(t *testing.T, c *collector, name string) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.process.Process.Pid, name))
	require.NoError(t, err)
	return string(text)
}
