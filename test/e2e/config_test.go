// SPDX-License-Identifier: Apache-2.0

package e2e // import "github.com/genainormalize/genainormalizeprocessor/test/e2e"

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExamplesAreValid(t *testing.T) {
	configs, err := filepath.Glob(repository + "/examples/*/collector*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, configs)
	for _, config := range configs {
		t.Run(config, func(t *testing.T) {
			binary := small(t)
			if config != filepath.Clean(demoConfig) {
				binary = full(t)
			}
			output, err := validate(t, binary, config)
			assert.NoError(t, err, output)
		})
	}
}

// The README and the guides mark their YAML: a whole configuration, the options of the processor alone, a mapping table,
// or a part of one. Only the full collector scrapes, samples and makes batches.
func TestTheConfigurationsOfThePagesAreValid(t *testing.T) {
	for _, page := range pages(t) {
		for i, block := range blocksOf(t, page, "collector|options|table|part") {
			t.Run(fmt.Sprintf("%s %s %d", filepath.Base(page), block.kind, i+1), func(t *testing.T) {
				binary, config := small, filepath.Join(t.TempDir(), "collector.yaml")
				switch block.kind {
				case "collector":
					require.NoError(t, os.WriteFile(config, []byte(block.text), 0o600))
				case "options":
					config = configWith(t, "\n    "+strings.ReplaceAll(block.text, "\n", "\n    "))
				default:
					table := filepath.Join(t.TempDir(), "table.yaml")
					require.NoError(t, os.WriteFile(table, []byte(wholeTable(block)), 0o600))
					config = configWith(t, "{tables: ["+table+"], approximate: true, extensions: true}")
				}
				if onlyFull.MatchString(block.text) {
					binary = full
				}
				output, err := validate(t, binary(t), config)
				assert.NoError(t, err, output)
			})
		}
	}
}

// onlyFull finds components that the small collector does not have.
var onlyFull = regexp.MustCompile(`(?m)^  (prometheus|batch|tail_sampling|memory_limiter|filter|transform):`)

// wholeTable puts what every table has before a part that does not.
func wholeTable(b block) string {
	text := b.text
	if b.kind == "part" {
		for _, line := range []string{"provider: heron", "layer: engine", "engine: heron"} {
			key, _, _ := strings.Cut(line, " ")
			if !strings.Contains("\n"+text, "\n"+key) {
				text = line + "\n" + text
			}
		}
	}
	return text
}

// YAML without a mark is checked by nothing.
func TestThePagesMarkTheirYAML(t *testing.T) {
	for _, page := range pages(t) {
		for _, block := range blocksOf(t, page, ".*") {
			assert.Contains(t, []string{"collector", "options", "builder", "table", "part"}, block.kind, "%s:\n%s", page, block.text)
		}
	}
}

// pages are the README and what is in docs.
func pages(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob(repository + "/docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, guides)
	return append(guides, repository+"/README.md")
}

// block is YAML in a page.
type block struct{ kind, text string }

// blocksOf returns the YAML of a page that is marked as one of the kinds. Blocks in lists are indented.
func blocksOf(t *testing.T, page, kinds string) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?ms)^( *)```yaml ?((?-s:"+kinds+"))\n(.*?)^ *```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, block{m[2], strings.ReplaceAll("\n"+m[3], "\n"+m[1], "\n")[1:]})
	}
	return blocks
}

// configWith returns a collector configuration with the given text as the processor's.
func configWith(t *testing.T, processor string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "collector.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:0"}}}}
processors:
  genainormalize: `+processor+`
exporters: {debug: {}}
service: {pipelines: {traces: {receivers: [otlp], processors: [genainormalize], exporters: [debug]}}}
`), 0o600))
	return path
}

func TestValidConfig(t *testing.T) {
	for name, processor := range map[string]string{
		"nothing at all":       ``,
		"an empty map":         `{}`,
		"an engine's null":     `{engines: {vllm: }}`,
		"one key of an engine": `{engines: {vllm: {version: "0.10.2"}}}`,
		"the other target":     `{semconv: "0.1.0", originals: keep}`,
	} {
		t.Run(name, func(t *testing.T) {
			output, err := validate(t, small(t), configWith(t, processor))
			assert.NoError(t, err, output)
		})
	}
}

// The message names the key, what stands there, and what would be right.
func TestInvalidConfigIsRefusedInPlainWords(t *testing.T) {
	for name, test := range map[string]struct {
		processor string
		want      []string
	}{
		"a version read as a number":       {`{semconv: 1.41}`, []string{"semconv", "quote it", "1.41"}},
		"a target that does not exist":     {`{semconv: "1.40"}`, []string{`"1.40"`, "1.41", "0.1.0"}},
		"a word that is not an option":     {`{originals: maybe}`, []string{"originals", `"maybe"`, "drop, keep"}},
		"several of them at once":          {`{span_name: x, schema_url: y}`, []string{"span_name", "schema_url", "auto, when_empty, always, never"}},
		"an unknown key":                   {`{originalz: keep}`, []string{"originalz"}},
		"an unknown key of an engine":      {`{engines: {vllm: {enable: true}}}`, []string{"engines[vllm]", "enable"}},
		"an unknown engine":                {`{engines: {vlm: {}}}`, []string{`"vlm"`, `"vllm"`}},
		"an engine version as a number":    {`{engines: {vllm: {version: 0.11}}}`, []string{"engines::vllm::version", "quote it"}},
		"an engine version that is none":   {`{engines: {vllm: {version: ten}}}`, []string{`"ten"`, "PEP 440"}},
		"a row that does not exist":        {`{exclude: [no.such.row]}`, []string{`"no.such.row"`}},
		"a table file that does not exist": {`{tables: [/no/such/table.yaml]}`, []string{"/no/such/table.yaml", "no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			output, err := validate(t, small(t), configWith(t, test.processor))
			require.Error(t, err, output)
			assert.Contains(t, output, "genainormalize")
			for _, want := range test.want {
				assert.Contains(t, output, want)
			}
			assert.NotContains(t, output, "goroutine ", "a stack trace")
		})
	}
}

// The commands of the pages that use the command line tool work from the root of a clone. What they ask a server for is
// what a real one answered.
func TestTheCommandsOfThePagesWork(t *testing.T) {
	const server = "curl() { cat testdata/captured/vllm/metrics/vllm-0.32.0.prom; }\n"
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for i, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(block[1], "bin/genainormalize ") {
				assert.Regexp(t, `^make [a-z]+\n$`, block[1], "%s: a command that nothing runs", page)
				continue // make targets, which run this test or are run beside it.
			}
			t.Run(fmt.Sprintf("%s %d", filepath.Base(page), i+1), func(t *testing.T) {
				command := exec.Command("bash", "-euo", "pipefail", "-c", "make --silent cli\n"+server+block[1])
				command.Dir = repository
				output, err := command.CombinedOutput()
				require.NoError(t, err, string(output))
				if strings.HasPrefix(block[1], "bin/genainormalize apply --stats") {
					assert.Contains(t, string(output), "gen_ai.usage.input_tokens")
				}
			})
		}
	}
}

// The entry for a manifest is the one that the full collector is built with.
func TestTheReadmesManifestNamesTheComponent(t *testing.T) {
	readme, err := os.ReadFile(repository + "/README.md")
	require.NoError(t, err)
	manifest, err := os.ReadFile(repository + "/builder-config.yaml")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml builder\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	require.Len(t, blocks, 1)
	entry := regexp.MustCompile(`- gomod: (.*)\n`).FindStringSubmatch(blocks[0][1])
	require.NotNil(t, entry)
	assert.Contains(t, string(manifest), "- gomod: "+entry[1]+"\n    path: ")
}
