// SPDX-License-Identifier: Apache-2.0

package semconv_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

func loaded(t *testing.T, target string) *semconv.Registry {
	t.Helper()
	registry, err := semconv.Load(target)
	require.NoError(t, err)
	return registry
}

// attributesOf collects what the sequence yields, by name.
func attributesOf(registry *semconv.Registry) map[string]semconv.Attribute {
	byName := map[string]semconv.Attribute{}
	for attribute := range registry.Attributes() {
		byName[attribute.Name] = attribute
	}
	return byName
}

// metricsOf collects what the sequence yields, by name.
func metricsOf(registry *semconv.Registry) map[string]semconv.Metric {
	byName := map[string]semconv.Metric{}
	for metric := range registry.Metrics() {
		byName[metric.Name] = metric
	}
	return byName
}

func TestTargets(t *testing.T) {
	assert.Equal(t, []string{"0.1.0", "1.41"}, semconv.Targets())
	for _, target := range semconv.Targets() {
		assert.Equal(t, target, loaded(t, target).Target)
	}
}

func TestAnUnknownTargetListsTheKnownOnes(t *testing.T) {
	_, err := semconv.Load("1.42")
	require.ErrorIs(t, err, semconv.ErrUnknownTarget)
	assert.EqualError(t, err, `unknown target "1.42": want one of 0.1.0, 1.41`)

	_, err = semconv.Load("../registry/1.41")
	assert.ErrorIs(t, err, semconv.ErrUnknownTarget, "a target is a name, not a path")
}

func TestAThirdTargetIsAnotherFile(t *testing.T) {
	const next = `
target: "0.2.0"
source: https://example.com/conventions
certainty: D
attributes:
  - section: request
    entries:
      - {name: gen_ai.request.model, type: string, level: required, brief: The model.}
metrics:
  - section: server
    entries:
      - {name: gen_ai.server.queue.duration, instrument: histogram, value_type: double, unit: s, brief: Time in the queue.}
`
	files := fstest.MapFS{
		"registry/0.2.0.yaml": {Data: []byte(next)},
		"registry/0.3.0.yaml": {Data: []byte(strings.Replace(next, "0.2.0", "0.2.1", 1))},
		"registry/README.md":  {Data: []byte("not a target")},
	}
	assert.Equal(t, []string{"0.2.0", "0.3.0"}, semconv.TargetsIn(files))

	registry, err := semconv.LoadFrom(files, "0.2.0")
	require.NoError(t, err)
	metric, ok := registry.Metric("gen_ai.server.queue.duration")
	require.True(t, ok)
	assert.Equal(t, semconv.Metric{
		Name: "gen_ai.server.queue.duration", Instrument: semconv.Histogram, ValueType: semconv.Double, Unit: "s",
		Brief: "Time in the queue.", Source: "https://example.com/conventions", Certainty: semconv.Development,
	}, metric)

	parsed, err := semconv.Parse("0.2.0.yaml", []byte(next))
	require.NoError(t, err)
	assert.Equal(t, registry, parsed)

	_, err = semconv.LoadFrom(files, "0.3.0")
	require.ErrorIs(t, err, semconv.ErrTargetName)
	assert.EqualError(t, err, `registry/0.3.0.yaml: target and file name differ: target is "0.2.1", want "0.3.0" as in the name of the file`)
}

func TestAVocabularyOutsideGenAI(t *testing.T) {
	registry, err := semconv.Parse("inference.yaml", []byte(`
target: inference.server
source: https://example.com/vocabulary
certainty: D
attributes:
  - section: labels
    entries:
      - {name: inference.server.role, type: string, brief: The part of a request this server does., open: false, values: [prefill, decode]}
metrics:
  - section: queue
    entries:
      - name: inference.server.requests.waiting
        instrument: gauge
        value_type: int
        unit: "{request}"
        brief: Requests in the queue.
        attributes: [{name: inference.server.role, level: recommended}]
      - {name: inference.server.requests.active, instrument: updowncounter, value_type: int, unit: "{request}", brief: Requests at work.}
`))
	require.NoError(t, err)
	waiting, ok := registry.Metric("inference.server.requests.waiting")
	require.True(t, ok)
	assert.Equal(t, semconv.Gauge, waiting.Instrument)
	assert.Equal(t, []semconv.MetricAttribute{{Name: "inference.server.role", Level: semconv.Recommended}}, waiting.Attributes)
	active, ok := registry.Metric("inference.server.requests.active")
	require.True(t, ok)
	assert.Equal(t, semconv.UpDownCounter, active.Instrument)
	role, ok := registry.Attribute("inference.server.role")
	require.True(t, ok)
	assert.False(t, role.Open)
	assert.Empty(t, registry.SchemaURL)
}

func TestATemplateAnswersForItsKeys(t *testing.T) {
	registry := loaded(t, "0.1.0")

	city, ok := registry.Attribute("gen_ai.prompt.variable.city")
	require.True(t, ok)
	assert.Equal(t, "gen_ai.prompt.variable.city", city.Name)
	assert.Equal(t, semconv.String, city.Type)
	assert.Equal(t, semconv.OptIn, city.Level)

	_, ok = registry.Attribute("gen_ai.prompt.variable.User.Name")
	assert.True(t, ok, "a key may be any text")

	itself, ok := registry.Attribute("gen_ai.prompt.variable.<key>")
	require.True(t, ok)
	assert.Equal(t, semconv.StringTemplate, itself.Type)

	for _, name := range []string{"gen_ai.prompt.variable", "gen_ai.prompt.variable.", "gen_ai.prompt.variables.city"} {
		_, ok = registry.Attribute(name)
		assert.False(t, ok, name)
	}
	_, ok = loaded(t, "1.41").Attribute("gen_ai.prompt.variable.city")
	assert.False(t, ok, "1.41 has no prompt variables")
}

func TestTheNearestTemplateAnswers(t *testing.T) {
	registry, err := semconv.Parse("x.yaml", []byte(`
target: x
source: https://example.com
certainty: V
attributes:
  - section: templates
    entries:
      - {name: a.b.<key>, type: "template[string]", brief: Far.}
      - {name: a.b.c.<key>, type: "template[string]", brief: Near.}
      - {name: a.b.c.d, type: int, brief: Itself.}
`))
	require.NoError(t, err)
	for name, brief := range map[string]string{"a.b.x": "Far.", "a.b.c": "Far.", "a.b.c.x": "Near.", "a.b.c.d": "Itself."} {
		attribute, ok := registry.Attribute(name)
		require.True(t, ok, name)
		assert.Equal(t, brief, attribute.Brief, name)
	}
}

func TestEntriesKeepTheOrderOfTheFile(t *testing.T) {
	var attributes, metrics []string
	registry := loaded(t, "1.41")
	for attribute := range registry.Attributes() {
		attributes = append(attributes, attribute.Name)
	}
	for metric := range registry.Metrics() {
		metrics = append(metrics, metric.Name)
	}
	assert.Equal(t, []string{"gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"}, attributes[:3])
	assert.Equal(t, []string{"gen_ai.server.request.duration", "gen_ai.server.time_to_first_token"}, metrics[:2])
}

// Facts written by hand from the conventions, the ones that mappings depend on first.
func TestAttributeFacts(t *testing.T) {
	type facts struct {
		typ   semconv.Type
		level semconv.Level
		unit  string
		size  int // of the enum
	}
	const absent = semconv.Type(0)
	for name, want := range map[string]struct{ core, first facts }{
		"gen_ai.operation.name":                    {facts{semconv.String, semconv.Required, "", 9}, facts{semconv.String, semconv.Required, "", 18}},
		"gen_ai.provider.name":                     {facts{semconv.String, semconv.Required, "", 15}, facts{semconv.String, semconv.Required, "", 16}},
		"gen_ai.request.model":                     {facts{semconv.String, semconv.ConditionallyRequired, "", 0}, facts{semconv.String, semconv.ConditionallyRequired, "", 0}},
		"gen_ai.request.top_k":                     {facts{semconv.Double, semconv.Recommended, "", 0}, facts{semconv.Int, semconv.ConditionallyRequired, "", 0}},
		"gen_ai.retrieval.top_k":                   {facts{typ: absent}, facts{semconv.Int, semconv.Unspecified, "", 0}},
		"gen_ai.request.choice.count":              {facts{semconv.Int, semconv.ConditionallyRequired, "", 0}, facts{semconv.Int, semconv.ConditionallyRequired, "", 0}},
		"gen_ai.request.stream":                    {facts{semconv.Boolean, semconv.ConditionallyRequired, "", 0}, facts{semconv.Boolean, semconv.ConditionallyRequired, "", 0}},
		"gen_ai.request.max_tokens":                {facts{semconv.Int, semconv.Recommended, "{token}", 0}, facts{semconv.Int, semconv.Recommended, "{token}", 0}},
		"gen_ai.output.type":                       {facts{semconv.String, semconv.ConditionallyRequired, "", 4}, facts{semconv.String, semconv.ConditionallyRequired, "", 4}},
		"gen_ai.response.finish_reasons":           {facts{semconv.StringArray, semconv.Recommended, "", 0}, facts{semconv.StringArray, semconv.Recommended, "", 0}},
		"gen_ai.response.time_to_first_chunk":      {facts{semconv.Double, semconv.Recommended, "s", 0}, facts{semconv.Double, semconv.Recommended, "s", 0}},
		"gen_ai.response.status":                   {facts{typ: absent}, facts{semconv.String, semconv.Unspecified, "", 6}},
		"gen_ai.usage.input_tokens":                {facts{semconv.Int, semconv.Recommended, "{token}", 0}, facts{semconv.Int, semconv.Recommended, "{token}", 0}},
		"gen_ai.usage.cache_read.input_tokens":     {facts{semconv.Int, semconv.Recommended, "{token}", 0}, facts{semconv.Int, semconv.Recommended, "{token}", 0}},
		"gen_ai.usage.cache_creation.input_tokens": {facts{semconv.Int, semconv.Recommended, "{token}", 0}, facts{typ: absent}},
		"gen_ai.usage.cache_write.input_tokens":    {facts{typ: absent}, facts{semconv.Int, semconv.Recommended, "{token}", 0}},
		"gen_ai.conversation.compacted":            {facts{typ: absent}, facts{semconv.Boolean, semconv.Recommended, "", 0}},
		"gen_ai.prompt.name":                       {facts{semconv.String, semconv.Unspecified, "", 0}, facts{semconv.String, semconv.ConditionallyRequired, "", 0}},
		"gen_ai.input.messages":                    {facts{semconv.Any, semconv.OptIn, "", 0}, facts{semconv.Any, semconv.OptIn, "", 0}},
		"gen_ai.token.type":                        {facts{semconv.String, semconv.Unspecified, "", 2}, facts{typ: absent}},
		"gen_ai.token.modality":                    {facts{typ: absent}, facts{semconv.String, semconv.Unspecified, "", 4}},
		"gen_ai.workflow.name":                     {facts{semconv.String, semconv.Unspecified, "", 0}, facts{typ: absent}},
		"openai.api.type":                          {facts{semconv.String, semconv.Recommended, "", 2}, facts{semconv.String, semconv.Recommended, "", 2}},
		"error.type":                               {facts{semconv.String, semconv.ConditionallyRequired, "", 1}, facts{semconv.String, semconv.ConditionallyRequired, "", 1}},
		"server.port":                              {facts{semconv.Int, semconv.ConditionallyRequired, "", 0}, facts{semconv.Int, semconv.ConditionallyRequired, "", 0}},
		"user.roles":                               {facts{semconv.StringArray, semconv.Unspecified, "", 0}, facts{semconv.StringArray, semconv.Unspecified, "", 0}},
		// What no target has, although engines write it.
		"gen_ai.system":                        {},
		"gen_ai.user.id":                       {},
		"gen_ai.request.id":                    {},
		"gen_ai.usage.total_tokens":            {},
		"gen_ai.usage.prompt_tokens":           {},
		"gen_ai.latency.time_to_first_token":   {},
		"gen_ai.span.kind":                     {},
		"gen_ai.usage.cache_read_input_tokens": {},
	} {
		for target, want := range map[string]facts{"1.41": want.core, "0.1.0": want.first} {
			t.Run(target+"/"+name, func(t *testing.T) {
				got, ok := loaded(t, target).Attribute(name)
				assert.Equal(t, want.typ != absent, ok, "present")
				assert.Equal(t, want, facts{got.Type, got.Level, got.Unit, len(got.Values)})
			})
		}
	}
}

func TestTheNamesThatCodeKnowsAreInEveryTarget(t *testing.T) {
	for _, target := range semconv.Targets() {
		registry := loaded(t, target)
		for _, name := range []string{semconv.ProviderName, semconv.OperationName, semconv.RequestModel, semconv.ErrorType} {
			attribute, ok := registry.Attribute(name)
			assert.True(t, ok, "%s %s", target, name)
			assert.Equal(t, semconv.String, attribute.Type, "%s %s", target, name)
		}
		for name, attribute := range attributesOf(registry) {
			if strings.HasPrefix(name, semconv.UsagePrefix) {
				assert.Equal(t, "{token}", attribute.Unit, "%s %s", target, name)
			}
		}
	}
}

func TestEveryEnumOfTheTargetsIsOpen(t *testing.T) {
	for _, target := range semconv.Targets() {
		for attribute := range loaded(t, target).Attributes() {
			assert.Equal(t, len(attribute.Values) > 0, attribute.Open, "%s %s", target, attribute.Name)
		}
	}
}

func TestNoTargetKnowsTheEnginesAsProviders(t *testing.T) {
	for _, target := range semconv.Targets() {
		provider, _ := loaded(t, target).Attribute("gen_ai.provider.name")
		for _, engine := range []string{"vllm", "sglang"} {
			assert.NotContains(t, provider.Values, engine)
		}
		operation, _ := loaded(t, target).Attribute("gen_ai.operation.name")
		assert.NotContains(t, operation.Values, "rerank")
	}
	was, _ := loaded(t, "1.41").Attribute("gen_ai.provider.name")
	is, _ := loaded(t, "0.1.0").Attribute("gen_ai.provider.name")
	assert.ElementsMatch(t, append(slices.Clone(was.Values), "moonshot_ai"), is.Values)
}

// The blocks of attributes that most metrics share.
var (
	onEveryMetric = map[string]semconv.Level{
		"gen_ai.operation.name": semconv.Required,
		"gen_ai.provider.name":  semconv.Required,
		"gen_ai.request.model":  semconv.ConditionallyRequired,
		"gen_ai.response.model": semconv.Recommended,
		"server.address":        semconv.Recommended,
		"server.port":           semconv.ConditionallyRequired,
	}
	onErrors = map[string]semconv.Level{"error.type": semconv.ConditionallyRequired}
)

func levelsOf(metric semconv.Metric) map[string]semconv.Level {
	levels := map[string]semconv.Level{}
	for _, attribute := range metric.Attributes {
		levels[attribute.Name] = attribute.Level
	}
	return levels
}

func merged(blocks ...map[string]semconv.Level) map[string]semconv.Level {
	all := map[string]semconv.Level{}
	for _, block := range blocks {
		maps.Copy(all, block)
	}
	return all
}

func TestServerMetricsAreTheSameInBothTargets(t *testing.T) {
	for name, want := range map[string]struct {
		buckets    []float64
		attributes map[string]semconv.Level
	}{
		"gen_ai.server.request.duration": {
			[]float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92},
			merged(onEveryMetric, onErrors),
		},
		"gen_ai.server.time_to_first_token": {
			[]float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10},
			onEveryMetric,
		},
		"gen_ai.server.time_per_output_token": {
			[]float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5},
			onEveryMetric,
		},
	} {
		for _, target := range semconv.Targets() {
			t.Run(target+"/"+name, func(t *testing.T) {
				got, ok := loaded(t, target).Metric(name)
				require.True(t, ok)
				assert.Equal(t, semconv.Histogram, got.Instrument)
				assert.Equal(t, semconv.Double, got.ValueType)
				assert.Equal(t, "s", got.Unit)
				assert.Equal(t, want.buckets, got.Buckets)
				assert.Equal(t, want.attributes, levelsOf(got))
				assert.True(t, got.Verified)
			})
		}
	}
}

func TestClientMetricsOfThe1_41Target(t *testing.T) {
	registry := loaded(t, "1.41")
	assert.Len(t, metricsOf(registry), 7)

	usage, ok := registry.Metric("gen_ai.client.token.usage")
	require.True(t, ok)
	assert.Equal(t, semconv.Histogram, usage.Instrument)
	assert.Equal(t, semconv.Int, usage.ValueType)
	assert.Equal(t, "{token}", usage.Unit)
	assert.Equal(t, []float64{1, 4, 16}, usage.Buckets[:3])
	assert.Equal(t, merged(onEveryMetric, map[string]semconv.Level{"gen_ai.token.type": semconv.Required}), levelsOf(usage))
}

func TestTokenMetricsOfThe0_1_0Target(t *testing.T) {
	registry := loaded(t, "0.1.0")
	for _, tokens := range []string{
		"input_tokens", "output_tokens", "cache_read.input_tokens", "cache_write.input_tokens", "reasoning.output_tokens",
	} {
		usage, ok := registry.Metric("gen_ai.client.inference.usage." + tokens)
		require.True(t, ok, tokens)
		assert.Equal(t, semconv.Sum, usage.Instrument)
		assert.Equal(t, semconv.Int, usage.ValueType)
		assert.Equal(t, "{token}", usage.Unit)
		assert.Empty(t, usage.Buckets)
		assert.Equal(t, merged(onEveryMetric, map[string]semconv.Level{"gen_ai.token.modality": semconv.Required}), levelsOf(usage))
	}
	for _, name := range []string{
		"gen_ai.client.inference.operation.input_tokens",
		"gen_ai.client.inference.operation.output_tokens",
		"gen_ai.client.embeddings.operation.input_tokens",
	} {
		perOperation, ok := registry.Metric(name)
		require.True(t, ok, name)
		assert.Equal(t, semconv.Histogram, perOperation.Instrument)
		assert.Equal(t, []float64{1, 4, 16}, perOperation.Buckets[:3])
	}
}

func TestClientMetricsThatWereRenamed(t *testing.T) {
	core, first := loaded(t, "1.41"), loaded(t, "0.1.0")
	for was, is := range map[string]string{
		"gen_ai.client.operation.duration":              "gen_ai.client.inference.duration",
		"gen_ai.client.operation.time_to_first_chunk":   "gen_ai.client.inference.time_to_first_chunk",
		"gen_ai.client.operation.time_per_output_chunk": "gen_ai.client.inference.time_per_output_chunk",
	} {
		old, ok := core.Metric(was)
		require.True(t, ok, was)
		renamed, ok := first.Metric(is)
		require.True(t, ok, is)
		assert.Equal(t, old.Instrument, renamed.Instrument)
		assert.Equal(t, old.Unit, renamed.Unit)
		assert.Equal(t, old.Buckets, renamed.Buckets)
		assert.Equal(t, old.Attributes, renamed.Attributes)
		_, ok = core.Metric(is)
		assert.False(t, ok, is)
	}
	other, ok := first.Metric("gen_ai.client.operation.duration")
	require.True(t, ok, "it stays for what is neither inference nor embeddings")
	assert.Equal(t, semconv.ConditionallyRequired, levelsOf(other)["gen_ai.provider.name"])
}

func TestWhatBothTargetsShareHasTheSameType(t *testing.T) {
	changed := []string{
		"gen_ai.request.top_k", // double to int: semantic-conventions-genai#217
	}
	core, first := loaded(t, "1.41"), loaded(t, "0.1.0")
	var differ []string
	for name, was := range attributesOf(core) {
		if is, ok := first.Attribute(name); ok && (is.Type != was.Type || is.Unit != was.Unit) {
			differ = append(differ, name)
		}
	}
	assert.ElementsMatch(t, changed, differ)

	for name, was := range metricsOf(core) {
		if is, ok := first.Metric(name); ok {
			assert.Equal(t, was.Instrument, is.Instrument, name)
			assert.Equal(t, was.ValueType, is.ValueType, name)
			assert.Equal(t, was.Unit, is.Unit, name)
			assert.Equal(t, was.Buckets, is.Buckets, name)
		}
	}
}

func TestWhatThe0_1_0TargetTookAway(t *testing.T) {
	core, first := loaded(t, "1.41"), loaded(t, "0.1.0")
	var attributes, metrics []string
	for name := range attributesOf(core) {
		if _, ok := first.Attribute(name); !ok {
			attributes = append(attributes, name)
		}
	}
	for name := range metricsOf(core) {
		if _, ok := first.Metric(name); !ok {
			metrics = append(metrics, name)
		}
	}
	assert.ElementsMatch(t, []string{
		"gen_ai.token.type",
		"gen_ai.usage.cache_creation.input_tokens",
		"gen_ai.workflow.name",
	}, attributes)
	assert.ElementsMatch(t, []string{
		"gen_ai.client.operation.time_per_output_chunk",
		"gen_ai.client.operation.time_to_first_chunk",
		"gen_ai.client.token.usage",
	}, metrics)
}

func TestWhatIsVerified(t *testing.T) {
	core, first := loaded(t, "1.41"), loaded(t, "0.1.0")
	assert.Equal(t, "https://opentelemetry.io/schemas/1.41.0", core.SchemaURL)
	assert.True(t, core.SchemaURLVerified)
	assert.Equal(t, "https://opentelemetry.io/schemas/gen-ai/0.1.0", first.SchemaURL)
	assert.False(t, first.SchemaURLVerified)

	for attribute := range core.Attributes() {
		assert.Equal(t, semconv.Tagged, attribute.Certainty, attribute.Name)
		assert.True(t, attribute.Verified, attribute.Name)
	}
	for metric := range core.Metrics() {
		assert.Equal(t, semconv.Tagged, metric.Certainty, metric.Name)
	}
	for name, want := range map[string]semconv.Certainty{
		"server.address":                        semconv.Tagged,
		"gen_ai.request.top_k":                  semconv.Published,
		"gen_ai.usage.cache_write.input_tokens": semconv.Development,
	} {
		attribute, _ := first.Attribute(name)
		assert.Equal(t, want, attribute.Certainty, name)
		assert.Equal(t, want == semconv.Tagged || want == semconv.Published, attribute.Verified, name)
	}
	guessed, _ := first.Metric("gen_ai.client.invoke_agent.duration")
	assert.Equal(t, semconv.Unread, guessed.Certainty)
	assert.False(t, guessed.Verified)
}

func TestEveryEntrySaysWhereItIsDefined(t *testing.T) {
	for _, target := range semconv.Targets() {
		registry := loaded(t, target)
		assert.Contains(t, registry.Source, "https://github.com/open-telemetry/")
		for attribute := range registry.Attributes() {
			assert.Contains(t, attribute.Source, "https://github.com/open-telemetry/", attribute.Name)
		}
		for metric := range registry.Metrics() {
			assert.Contains(t, metric.Source, "https://github.com/open-telemetry/", metric.Name)
		}
	}
}

func TestWordsAreThoseOfTheFiles(t *testing.T) {
	assert.Equal(t, "string[]", semconv.StringArray.String())
	assert.Equal(t, "template[string]", semconv.StringTemplate.String())
	assert.Equal(t, "conditionally_required", semconv.ConditionallyRequired.String())
	assert.Equal(t, "updowncounter", semconv.UpDownCounter.String())
	assert.Equal(t, "V", semconv.Tagged.String())
	assert.Equal(t, "semconv.Type(200)", semconv.Type(200).String())
	assert.Empty(t, semconv.Unspecified.String())
}

func TestExtensionsAreNotInTheNamespaceOfTheStandard(t *testing.T) {
	extensions, err := semconv.Extensions()
	require.NoError(t, err)
	require.NotEmpty(t, slices.Collect(extensions.Metrics()))
	for metric := range extensions.Metrics() {
		assert.True(t, strings.HasPrefix(metric.Name, "inference.server."), metric.Name)
	}
	for _, target := range semconv.Targets() {
		registry := loaded(t, target)
		for metric := range extensions.Metrics() {
			_, standard := registry.Metric(metric.Name)
			assert.False(t, standard, "%s is in target %s", metric.Name, target)
		}
		for own := range extensions.Attributes() {
			standard, ok := registry.Attribute(own.Name)
			assert.True(t, ok, "%s is not in target %s", own.Name, target)
			assert.Equal(t, standard.Type, own.Type, own.Name)
		}
	}
}
