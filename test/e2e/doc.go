// SPDX-License-Identifier: Apache-2.0

// Package e2e tests a collector that ocb built, as a process: what goes in over OTLP or is scraped, and what comes out
// to a file or for Prometheus. Under load, and while something fails, it exports to a server in the test; `make load` and
// `make soak` run those tests for longer and write docs/load.md.
//
// GENAINORMALIZE_COLLECTOR names the small collector (otlp receiver, file and debug exporters); without it the tests
// build it with make. GENAINORMALIZE_FULL_COLLECTOR names the full one; tests that need it are skipped without it.
package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"
