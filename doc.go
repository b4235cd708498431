// SPDX-License-Identifier: Apache-2.0

//go:generate make generate

// Package genainormalizeprocessor is an OpenTelemetry Collector processor that recognises the telemetry
// of LLM inference engines and rewrites it to the OpenTelemetry GenAI semantic conventions.
package genainormalizeprocessor // import "github.com/genainormalize/genainormalizeprocessor"
