// SPDX-License-Identifier: Apache-2.0

package lint // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/lint"

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

func defaultConfig() *genainormalizeprocessor.Config {
	return genainormalizeprocessor.NewFactory().CreateDefaultConfig().(*genainormalizeprocessor.Config)
}

// processor checks options that stand in a file of their own.
func (l *linter) processor(d document, path []string, data []byte) error {
	retrieved, err := confmap.NewRetrievedFromYAML(data)
	if err != nil {
		return err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return err
	}
	l.options(d, path, conf)
	return nil
}

// options checks what stands under a path of keys as the collector would.
func (l *linter) options(d document, path []string, conf *confmap.Conf) {
	cfg := defaultConfig()
	if err := conf.Unmarshal(cfg); err != nil {
		for _, f := range decodingFaults(err) {
			l.at(d, path, f)
		}
		return
	}
	if found := l.tablesOf(d, path, cfg); found {
		return
	}
	rules, err := cfg.RuleSet()
	if err != nil {
		for fault := range strings.SplitSeq(err.Error(), "\n") {
			l.at(d, path, faultOfOptions(fault))
		}
	} else {
		l.overlaps(rules)
	}
	for _, only := range []func(to *genainormalizeprocessor.Config){
		func(to *genainormalizeprocessor.Config) { to.TraceConditions = cfg.TraceConditions },
		func(to *genainormalizeprocessor.Config) { to.MetricConditions = cfg.MetricConditions },
		func(to *genainormalizeprocessor.Config) { to.LogConditions = cfg.LogConditions },
	} {
		conditions := defaultConfig()
		only(conditions)
		if _, err := conditions.NewNormalizer(component.TelemetrySettings{Logger: zap.NewNop()}); err != nil {
			l.at(d, path, faultOfOptions(err.Error()))
		}
	}
}

// tablesOf checks the files of an instance one by one, and tells whether something is wrong with them.
func (l *linter) tablesOf(d document, path []string, cfg *genainormalizeprocessor.Config) (found bool) {
	for _, file := range cfg.Tables {
		data, err := os.ReadFile(file)
		if err != nil {
			// As the collector says it.
			_, err = mapping.ReadTable(file)
			l.at(d, path, fault{key: []string{"tables"}, text: err.Error(), about: file})
			found = true
			continue
		}
		_, faults := mapping.CheckTable(file, data)
		for _, err := range faults {
			l.at(d, path, fault{key: []string{"tables"}, text: err.Error(), about: file})
			found = true
		}
	}
	return found
}

// fault is something wrong below the path of an instance's keys.
type fault struct {
	key  []string
	text string
	// about is the value that is wrong, if the text does not quote it.
	about string
}

func (l *linter) at(d document, path []string, f fault) {
	path = slices.Concat(path, f.key)
	place := d.place(path, f.text)
	if f.about != "" {
		place = d.place(path, fmt.Sprintf("%q", f.about))
	}
	l.add(Finding{Place: place, Key: strings.Join(path, "::"), Text: f.text})
}

var (
	// What the decoder says of a key: 'engines[vllm]' has invalid keys: enable
	decodedKey  = regexp.MustCompile(`^'([^']*)' (.*)$`)
	unknownKeys = regexp.MustCompile(`^has invalid keys: (.*)$`)
	inBrackets  = regexp.MustCompile(`\[([^]]*)\]`)
	// What the processor says: engines::vllm::version: …
	ownKey    = regexp.MustCompile(`^([a-z_]+(?:::[^:\s]+)*): (.*)$`)
	ofVersion = regexp.MustCompile(`^engine "([^"]+)": (.*)$`)
)

// Go types are nothing that a reader of YAML knows.
var goTypes = strings.NewReplacer(
	"expected type 'string'", "a text is expected", "expected type 'bool'", "true or false is expected",
	"expected type 'normalize.Originals'", "a word is expected", "expected type 'normalize.SpanName'", "a word is expected",
	"expected type 'normalize.SchemaURL'", "a word is expected", "expected type 'normalize.CreatedSeries'", "a word is expected",
	"expected type 'normalize.EngineUsage'", "a word is expected", "expected type 'normalize.ServiceName'", "a word is expected",
	"source data must be an array or slice", "a list is expected",
	"got unconvertible type 'map[string]interface {}'", "not a map", "got unconvertible type '[]interface {}'", "not a list",
	"got unconvertible type 'string'", "not a text", "got unconvertible type 'int'", "not a number",
	"got unconvertible type 'float64'", "not a number", "got unconvertible type 'bool'", "not true or false", ", got map", ", not a map",
)

// decodingFaults takes the decoder's text apart, which lists all faults in a line each.
func decodingFaults(err error) (faults []fault) {
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasSuffix(line, "decoding failed due to the following error(s):") {
			continue
		}
		m := decodedKey.FindStringSubmatch(line)
		if len(m) == 0 || m[1] == "" {
			faults = append(faults, faultOfOptions(strings.TrimPrefix(line, "'' ")))
			continue
		}
		var key []string
		if m[1] != reflect.TypeFor[genainormalizeprocessor.Config]().String() {
			key = strings.Split(inBrackets.ReplaceAllString(m[1], ".$1"), ".")
		}
		if unknown := unknownKeys.FindStringSubmatch(m[2]); unknown != nil {
			known := optionKeys()
			if len(key) > 0 {
				known = keysOf(reflect.TypeFor[genainormalizeprocessor.EngineConfig]())
			}
			for name := range strings.SplitSeq(unknown[1], ", ") {
				faults = append(faults, fault{
					key:  slices.Concat(key, []string{name}),
					text: "unknown key: one of " + strings.Join(known, ", ") + " is expected",
				})
			}
			continue
		}
		faults = append(faults, fault{key: key, text: goTypes.Replace(m[2])})
	}
	return faults
}

// faultOfOptions takes the key off the front of an error.
func faultOfOptions(text string) fault {
	if m := ofVersion.FindStringSubmatch(text); m != nil {
		return fault{key: []string{"engines", m[1], "version"}, text: m[2]}
	}
	if m := ownKey.FindStringSubmatch(text); m != nil {
		return fault{key: strings.Split(m[1], "::"), text: m[2]}
	}
	return fault{text: text}
}

func optionKeys() []string { return keysOf(reflect.TypeFor[genainormalizeprocessor.Config]()) }

func keysOf(t reflect.Type) (keys []string) {
	for field := range t.Fields() {
		if key := field.Tag.Get("mapstructure"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

func targets() []string {
	targets := semconv.Targets()
	slices.Reverse(targets) // The default first.
	return targets
}
