// SPDX-License-Identifier: Apache-2.0

package exposition

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

var target = Target{Job: "vllm", Instance: "localhost:8000", Time: time.UnixMilli(1796000000123)}

func TestErrorsNameTheLine(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no exposition":                   {"a 1\n\nseldom at a time\n", `line 3: strconv.ParseFloat: parsing "at": invalid syntax`},
		"cut short in a value":            {"a 1\nb", `line 2: expected value after metric`},
		"cut short in a label":            {"a 1\nb{x=\"y", `line 2: expected label value`},
		"an unknown type":                 {"# TYPE a counter\n# TYPE b timer\n", `line 2: invalid metric type "timer"`},
		"a type of OpenMetrics":           {"# TYPE a info\n", `line 1: invalid metric type "info"`},
		"a type without a name":           {"# TYPE\na 1 x\n", `line 2: expected timestamp or new record`},
		"line breaks of Windows":          {"# TYPE a counter\r\na 1\r\n", `line 1: invalid metric type "counter\r"`},
		"a negative timestamp":            {"a 1 -1\n", `line 1: expected timestamp or new record`},
		"a value in hexadecimal":          {"a 0x10\n", `line 1: strconv.ParseFloat: parsing "0x10": invalid syntax`},
		"a label value in Latin-1":        {"a{x=\"\xfc\"} 1\n", `line 1: invalid UTF-8 label value`},
		"a help text in Latin-1":          {"# HELP a \xfc\n", `line 1: help text "\xfc" is not a valid utf8 string`},
		"a name in Latin-1":               {"{\"\xfc\"} 1\n", "line 1: the name of the metric or of a label is empty or no UTF-8"},
		"an empty name":                   {"\n{\"\",x=\"1\"} 1\n", "line 2: the name of the metric or of a label is empty or no UTF-8"},
		"no name":                         {"{x=\"1\"} 1\n", "line 1: metric name not set"},
		"two names":                       {"a{\"b\"} 1\n", "line 1: metric name already set"},
		"a label twice":                   {"a{x=\"1\",x=\"2\"} 1\n", `line 1: a label is there twice: a{x="1",x="2"}`},
		"after a value with breaks":       {"a{x=\"1\n2\n3\"} 1\n\nb\n", "line 5: expected value after metric"},
		"OpenMetrics in two pieces":       {"a 1\n# EOF\na 1\n# EOF\n", "line 2: unexpected data after # EOF"},
		"OpenMetrics with a blank":        {"a 1\n\nb 1\n# EOF\n", "line 2: expected a valid start token"},
		"a unit that is no suffix":        {"# TYPE a gauge\n# UNIT a seconds\n# EOF\n", `line 2: unit "seconds" not a suffix of metric "a"`},
		"an exemplar in Prometheus":       {"a 1 # {x=\"y\"} 1\n", "line 1: expected timestamp or new record"},
		"an exemplar in Latin-1":          {"a_total 1 # {\"\xfc\"=\"y\"} 1\n# EOF\n", "line 1: the name of the metric or of a label is empty or no UTF-8"},
		"a count that is none":            {"# TYPE h histogram\nh_sum 1\nh_count NaN\n", "line 2: h: NaN is no count"},
		"a count without an end":          {"# TYPE s summary\ns_count +Inf\n", "line 2: s: +Inf is no count"},
		"buckets that shrink":             {"# TYPE h histogram\n\nh_bucket{le=\"1\"} 3\nh_bucket{le=\"2\"} 2\nh_count 3\n", "line 3: h: a bucket has -1 less than"},
		"a bucket above the count":        {"# TYPE h histogram\nh_bucket{le=\"1\"} 3\nh_count 2\n", "line 2: h: a bucket has -1 less than"},
		"a time of creation that is none": {"# TYPE a counter\na_total 1\na_created -5\n# EOF\n", "line 2: a_total: -5 is no time in seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.text), target)
			var where *Error
			require.ErrorAs(t, err, &where)
			assert.ErrorContains(t, err, test.want)
			assert.Less(t, len(err.Error()), 400)
		})
	}
}

func TestLongErrorsAreCut(t *testing.T) {
	_, err := Parse([]byte("a{x=\""+strings.Repeat("ü", 10_000)+"\"}\n"), target)
	require.ErrorContains(t, err, "line 1: ")
	assert.Less(t, len(err.Error()), 400)
}

func TestTextsWithoutSamplesHaveNoMetrics(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                         "",
		"blank":                         "\n \n",
		"comments only":                 "# a comment\n# TYPE a counter\n# HELP a help\n",
		"OpenMetrics":                   "# TYPE a counter\n# EOF\n",
		"target_info only":              "target_info{a=\"b\"} 1\n",
		"a histogram without its count": "# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			md, err := Parse([]byte(text), target)
			require.NoError(t, err)
			assert.Zero(t, md.ResourceMetrics().Len())
		})
	}
}

func TestPointsHaveTheTimeOfTheScrapeOrTheirOwn(t *testing.T) {
	md, err := Parse([]byte("a 1\na{x=\"1\"} 1 1700000000123\n"), target)
	require.NoError(t, err)
	points := only(t, md).Gauge().DataPoints()
	assert.Equal(t, target.Time.UnixNano(), int64(points.At(0).Timestamp()))
	assert.Equal(t, int64(1700000000123), points.At(1).Timestamp().AsTime().UnixMilli())
	assert.Zero(t, points.At(0).StartTimestamp())
}

func TestResource(t *testing.T) {
	for instance, want := range map[string]map[string]any{
		"localhost:8000":    {"server.port": "8000"},
		"127.0.0.1:8000":    {"server.port": "8000"},
		"[::1]:8000":        {"server.port": "8000"},
		"0.0.0.0:8000":      {"server.port": "8000"},
		"10.1.2.3:8000":     {"server.port": "8000", "server.address": "10.1.2.3"},
		"gpu-1.example:443": {"server.port": "443", "server.address": "gpu-1.example"},
		"gpu-1":             {"server.port": "", "server.address": "gpu-1"},
	} {
		t.Run(instance, func(t *testing.T) {
			md, err := Parse([]byte("a 1\n"), Target{Job: "vllm", Instance: instance})
			require.NoError(t, err)
			want["service.name"], want["service.instance.id"], want["url.scheme"] = "vllm", instance, "http"
			assert.Equal(t, want, md.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
		})
	}
}

// TestLabelsAsLongAsTheyCanBe is about the label sets of Prometheus, which panic at 16 MiB.
func TestLabelsAsLongAsTheyCanBe(t *testing.T) {
	const most = 1<<24 - 100
	md, err := Parse([]byte("a{x=\""+strings.Repeat("x", most)+"\"} 1\n"), target)
	require.NoError(t, err)
	value, _ := only(t, md).Gauge().DataPoints().At(0).Attributes().Get("x")
	assert.Len(t, value.Str(), most)

	tooLong := strings.Repeat("x", 1<<24)
	for _, text := range []string{"\na{x=\"" + tooLong + "\"} 1\n", "b 1\na_total 1 # {x=\"" + tooLong + "\"} 1\n# EOF\n"} {
		_, err = Parse([]byte(text), target)
		require.EqualError(t, err, "line 2: longer than 16 MiB")
	}
}

func only(t *testing.T, md pmetric.Metrics) pmetric.Metric {
	t.Helper()
	require.Equal(t, 1, md.MetricCount())
	return md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
}

// TestOrder says that metrics and points are in the order of the text, where the receiver's are in none.
func TestOrder(t *testing.T) {
	md, err := Parse([]byte("b 1\na{x=\"2\"} 1\na{x=\"1\"} 1\nc 1\n"), target)
	require.NoError(t, err)
	var names []string
	for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		for _, dp := range m.Gauge().DataPoints().All() {
			x, _ := dp.Attributes().Get("x")
			names = append(names, m.Name()+x.Str())
		}
	}
	assert.Equal(t, []string{"b", "a2", "a1", "c"}, names)
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"# HELP a b":                          true,
		"\n\n vllm:num_requests_running 1":    true,
		"_a 1":                                true,
		":a 1":                                true,
		`{"a.b"} 1`:                           true,
		` { "a.b" , x="y"} 1`:                 true,
		`{"x"="y", "a.b"} 1`:                  true,
		`{"a \" } : b", x="y"} 1`:             true,
		`{x="y","a.b"} 1`:                     true,
		"":                                    false,
		" \n":                                 false,
		"{":                                   false,
		"{}":                                  false,
		`{"resourceSpans":[]}`:                false,
		"{\n  \"resourceSpans\" \n : []}":     false,
		`{"resource`:                          false,
		`{"resource"`:                         false,
		"[]":                                  false,
		"3":                                   false,
		"\xef\xbb\xbf# TYPE a counter\na 1\n": false,
	} {
		assert.Equal(t, want, Is([]byte(text)), "%q", text)
	}
}
