// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"
)

// Engines are released as Python packages, so their versions (0.3.5.post1, 0.11.1rc2) are ordered by PEP 440
// and not by semantic versioning, which would take a post release for a pre-release.

// ValidateVersion reports [ErrInvalidVersion] for what is not a PEP 440 version.
func ValidateVersion(version string) error {
	if _, err := pep440.Parse(version); err != nil {
		return fmt.Errorf("%w: %q: a release such as 0.11.0 or 0.3.5.post1 (PEP 440) is expected", ErrInvalidVersion, version)
	}
	return nil
}

// CompareVersions orders two releases, which must be valid.
func CompareVersions(a, b string) int { return pep440.MustParse(a).Compare(pep440.MustParse(b)) }

// versionRange is a set of releases; the zero value is all of them.
type versionRange struct {
	specifiers *pep440.Specifiers
}

// The parts of a range have an operator. The library also takes what PEP 440 does not know, such as a release alone,
// which could as well mean all later ones.
var (
	specifier   = regexp.MustCompile(`^\s*(~=|===?|!=|<=?|>=?)\s*[^\s,|<>=!~]+\s*$`)
	bareRelease = regexp.MustCompile(`^\s*(\d[\w.+-]*?)(\.\*)?\s*$`)
)

func parseVersionRange(s string) (versionRange, error) {
	if s == "" {
		return versionRange{}, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		if release := bareRelease.FindStringSubmatch(part); release != nil {
			return versionRange{}, fmt.Errorf("%w: %q: \"==%s\" for that release alone, \">=%[3]s\" for it and all later ones or \"==%[3]s.*\" for its patch releases is expected",
				ErrInvalidVersion, s, release[1])
		}
		if !specifier.MatchString(part) {
			return versionRange{}, notARange(s)
		}
	}
	// Pre-releases belong to a range as any other release: an engine built from 0.11.1rc2 is a running engine.
	specifiers, err := pep440.NewSpecifiers(s, pep440.WithPreRelease(true))
	if err != nil {
		return versionRange{}, notARange(s)
	}
	return versionRange{specifiers: &specifiers}, nil
}

func notARange(s string) error {
	return fmt.Errorf("%w: %q: a PEP 440 range such as \">=0.8,<0.10\" is expected", ErrInvalidVersion, s)
}

// contains tells whether the version, which must be valid, is in the range.
func (r versionRange) contains(version string) bool {
	return r.specifiers == nil || r.specifiers.Check(pep440.MustParse(version))
}

// Holds tells whether the row is right for a release. One that is not known may be any.
func (r *Row) Holds(version string) bool { return isIn(r.Versions, version) }

// Holds tells whether the row is right for a release. One that is not known may be any.
func (r *MetricRow) Holds(version string) bool { return isIn(r.Versions, version) }

func isIn(versions, version string) bool {
	specifiers, _ := parseVersionRange(versions) // Checked when the table was read.
	return version == "" || specifiers.contains(version)
}

// VersionAttribute is a resource attribute that states the version of an engine.
type VersionAttribute struct{ Attribute, Engine string }

// VersionAttributes lists the resource attributes that select rows: those of engines whose tables have rows for some
// releases only.
func (rs *RuleSet) VersionAttributes() []VersionAttribute { return rs.versions }

func (c *compiler) versionAttributes(tables []*Table) (attributes []VersionAttribute) {
	for _, t := range tables {
		if t.VersionAttribute != "" && c.enabled(t) && t.hasVersions() {
			attributes = append(attributes, VersionAttribute{Attribute: t.VersionAttribute, Engine: t.Engine})
		}
	}
	return attributes
}

func (t *Table) hasVersions() bool {
	for i := range t.Attributes {
		if t.Attributes[i].Versions != "" {
			return true
		}
	}
	for i := range t.Metrics {
		if t.Metrics[i].Versions != "" {
			return true
		}
	}
	return false
}

// WithVersions returns the rules for engines of other versions than the configured ones. Dialects keep their numbers.
// The error wraps [ErrInvalidVersion] where one is not a version.
func (rs *RuleSet) WithVersions(versions map[string]string) (*RuleSet, error) {
	opts := rs.opts
	opts.Engines = maps.Clone(opts.Engines)
	if opts.Engines == nil {
		opts.Engines = map[string]EngineOptions{}
	}
	for engine, version := range versions {
		e := opts.Engines[engine]
		e.Version = version
		opts.Engines[engine] = e
	}
	return compileResolved(rs.tables, opts)
}

// VersionSignature tells which rows hold for versions of engines: rules for versions with one signature are the same.
func (rs *RuleSet) VersionSignature(versions map[string]string) string {
	var signature []byte
	add := func(ranges, version string) {
		switch {
		case ranges == "":
		case isIn(ranges, version):
			signature = append(signature, '1')
		default:
			signature = append(signature, '0')
		}
	}
	for _, t := range rs.tables {
		version, ok := versions[t.Engine]
		if !ok {
			continue
		}
		signature = append(append(signature, t.Engine...), ':')
		for i := range t.Attributes {
			add(t.Attributes[i].Versions, version)
		}
		for i := range t.Metrics {
			add(t.Metrics[i].Versions, version)
		}
	}
	return string(signature)
}
