// SPDX-License-Identifier: Apache-2.0

// Package mapping holds what engines say and what is made of it, as data, and compiles that data to a rule set.
//
// A [Table] is one YAML file: an engine, the dialects its telemetry is written in, and a row per name. [Compile]
// checks tables against a target's registry and returns an immutable [RuleSet]. Nothing here knows telemetry
// payloads: applying the rules is the work of internal/normalize.
package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"
