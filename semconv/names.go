// SPDX-License-Identifier: Apache-2.0

package semconv // import "github.com/genainormalize/genainormalizeprocessor/semconv"

// The attributes whose role the processor has to know, because it fills them in or composes a span name of
// them. All other names are data. They are the same in every target; a test holds the registries to that.
const (
	ProviderName  = "gen_ai.provider.name"
	OperationName = "gen_ai.operation.name"
	RequestModel  = "gen_ai.request.model"
	ErrorType     = "error.type"
)

// Namespace is what the standard's own names for generative AI begin with.
const Namespace = "gen_ai."

// UsagePrefix is the namespace of the token counts of a request.
const UsagePrefix = "gen_ai.usage."
