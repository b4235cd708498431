// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import "errors"

// Options choose the rules that tables compile to.
type Options struct {
	// Target is the semantic conventions version: a registry of package semconv.
	Target string
	// Approximate also uses rows that are close to the definition of their target but not it.
	Approximate bool
	// Extensions also uses the names for what the standard has no name for.
	Extensions bool
	// Exclude are row ids and source names that are left alone.
	Exclude []string
	// Engines changes single engines. An engine that is not named is used as its table says.
	Engines map[string]EngineOptions
}

// EngineOptions changes one engine. A nil field keeps what the table or [Options] say.
type EngineOptions struct {
	Enabled          *bool
	Provider         *string
	Approximate      *bool
	DefaultOperation string
	// Version is a PEP 440 version. It selects among rows that have a range.
	Version string
}

// The errors of tables and options. All are found when the collector starts, none while it runs.
var (
	ErrInvalidTable   = errors.New("invalid mapping table")
	ErrReadTable      = errors.New("cannot read mapping table")
	ErrInvalidVersion = errors.New("invalid version")
	ErrUnknownEngine  = errors.New("unknown engine")
	ErrUnknownExclude = errors.New("unknown row id or source name")
)
