// SPDX-License-Identifier: Apache-2.0

// Package semconv knows what a target can say: the attributes and metrics of one version of the OpenTelemetry
// GenAI semantic conventions, with their types, units, enums and requirement levels.
//
// All of it is data, one complete YAML file per target in registry/. A new target is a new file:
//
//	registry, err := semconv.Load("1.41")
//	topK, ok := registry.Attribute("gen_ai.request.top_k") // topK.Type is semconv.Double in 1.41, semconv.Int in 0.1.0
//	ttft, ok := registry.Metric("gen_ai.server.time_to_first_token") // ttft.Unit is "s"
//
// There is no list of spans: OTLP carries no span type, and the operations a target knows are the values of its
// attribute gen_ai.operation.name.
//
// The definitions come from https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai (target
// 1.41) and https://github.com/open-telemetry/semantic-conventions-genai (target 0.1.0).
package semconv // import "github.com/genainormalize/genainormalizeprocessor/semconv"
