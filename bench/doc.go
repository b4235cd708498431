// SPDX-License-Identifier: Apache-2.0

// Package bench measures the processor side by side with the processors that can be configured to do the same job:
// transform (OTTL) for spans and metrics, and metricstransform for metrics. Before anything is timed, tests hold that
// what comes out is equal.
//
// # What is timed
//
// Every contender is a whole processor, built by its factory from YAML, with the telemetry that a collector has and a
// consumer behind it that does nothing. It gets what the OTLP receiver would give it: data that was just decoded from
// protobuf and that nobody has touched.
//
// A processor changes its input, so each call needs a fresh copy, and a copy costs several times what is to be
// measured. Stopping the benchmark's timer around it stops the world. So a benchmark keeps a clock of its own: a round
// decodes a few copies of the payload, reads the clock, processes them, and reads the clock again. What is reported as
// ns/op, B/op and allocs/op is the processing of one payload alone. Decoding is a contender like the others, measured
// in the same way.
//
// The time is that of the median round. A round that was interrupted, by another process or by the garbage collector,
// takes several times longer and would make a mean say more of the machine than of the contender. It favours those who
// leave much garbage, which the processor does not.
//
// The machine's speed drifts, so a comparison runs the whole suite several times and not each benchmark several times
// in a row; see `make bench-compare`.
package bench
