// SPDX-License-Identifier: Apache-2.0

package docs // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/docs"

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

// release is who wrote a captured payload.
type release struct {
	// emitter is an engine, or a gateway before one.
	emitter string
	version string
	// driven tells that no server ran: the release's collector of metrics was called directly.
	driven bool
}

// emitters are the engines by who may write a payload, "" for gateways: their version is not the engine's.
var emitters = map[string]string{
	"vllm":          "vllm",
	"sglang":        "sglang",
	"sglang-router": "",
	"smg":           "",
}

var (
	errNoRelease = errors.New("a name that begins with an emitter and its release is expected, such as vllm-0.32.0")

	fileName = regexp.MustCompile(`^([a-z-]+)-([0-9]+(?:\.[0-9]+)*(?:\.post[0-9]+)?)(?:[-.][a-z].*)?$`)
)

// releaseOf reads the release off the name of a captured file. The README beside the files says the same.
//
//	sglang-0.3.5.post1.otlp.json        → sglang 0.3.5.post1
//	sglang-router-0.3.2-chat.otlp.json  → sglang-router 0.3.2
func releaseOf(path string) (release, error) {
	base := filepath.Base(path)
	m := fileName.FindStringSubmatch(strings.TrimSuffix(strings.TrimSuffix(base, promSuffix), otlpSuffix))
	if m == nil {
		return release{}, fmt.Errorf("%s: %w", base, errNoRelease)
	}
	if _, ok := emitters[m[1]]; !ok {
		return release{}, fmt.Errorf("%s: emitter %q is unknown: %w", base, m[1], errNoRelease)
	}
	r := release{emitter: m[1], version: m[2]}
	r.driven = r == release{emitter: "sglang", version: "0.3.5.post1"} || r == release{emitter: "sglang", version: "0.4.6"}
	return r, nil
}

// isReal tells whether a file is what a server sent, and not what modules of the release did when they were called one
// by one, or what a collector exposed again.
func isReal(path string) bool {
	base := filepath.Base(path)
	return !strings.Contains(base, "-driven") && !strings.Contains(base, "-collector-promexporter")
}

// engineVersion is the version that ranges of a table's rows are about, or nothing.
func (r release) engineVersion(engine string) string {
	if emitters[r.emitter] != engine {
		return ""
	}
	return r.version
}

func (r release) String() string {
	switch {
	case emitters[r.emitter] == "":
		return r.emitter + " " + r.version
	case r.driven:
		return r.version + " (no server)"
	default:
		return r.version
	}
}

// compareReleases orders engines before gateways, and then versions.
func compareReleases(a, b release) int {
	gateway := func(r release) int {
		if emitters[r.emitter] == "" {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(gateway(a), gateway(b)),
		cmp.Compare(a.emitter, b.emitter),
		mapping.CompareVersions(a.version, b.version),
	)
}
