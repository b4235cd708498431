// SPDX-License-Identifier: Apache-2.0

package normalize // import "github.com/genainormalize/genainormalizeprocessor/internal/normalize"

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/genainormalize/genainormalizeprocessor/mapping"
	"github.com/genainormalize/genainormalizeprocessor/semconv"
)

// value is the value of an attribute, apart from the attribute. Scalars cost nothing to make.
type value struct {
	mapping.Scalar
	// list holds a string[] that was parsed out of a text.
	list []string
	// other holds a value of type Any: what is neither a scalar nor such a list. It is carried over as it is.
	other pcommon.Value
}

func (v *value) hasOther() bool { return v.Type == semconv.Any }

func text(s string) value {
	return value{Scalar: mapping.Scalar{Type: semconv.String, Str: s}}
}

func number(f float64) value {
	return value{Scalar: mapping.Scalar{Type: semconv.Double, Double: f}}
}

func integer(i int64) value {
	return value{Scalar: mapping.Scalar{Type: semconv.Int, Int: i}}
}

func boolean(b bool) value {
	return value{Scalar: mapping.Scalar{Type: semconv.Boolean, Bool: b}}
}

// valueOf reads an attribute without changing its type.
func valueOf(v pcommon.Value) value {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return text(v.Str())
	case pcommon.ValueTypeInt:
		return integer(v.Int())
	case pcommon.ValueTypeDouble:
		return number(v.Double())
	case pcommon.ValueTypeBool:
		return boolean(v.Bool())
	default:
		return value{Scalar: mapping.Scalar{Type: semconv.Any}, other: v}
	}
}

// asText returns a value as text. Of a list or map it says only that it is one: to write it out takes more of the stack
// than to decode it, and a stack that is full ends the collector.
func asText(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeSlice:
		return "[]"
	case pcommon.ValueTypeMap:
		return "{}"
	default:
		return v.AsString()
	}
}

// isOf tells whether an attribute is a scalar of the type that the registry wants.
func isOf(v pcommon.Value, t semconv.Type) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return t == semconv.String
	case pcommon.ValueTypeInt:
		return t == semconv.Int
	case pcommon.ValueTypeDouble:
		return t == semconv.Double
	case pcommon.ValueTypeBool:
		return t == semconv.Boolean
	default:
		return false
	}
}

// coerce reads an attribute as a value of the type that the registry wants. It reports false where that would
// lose something: such a value stays what and where it is.
//
//	int     ← 7, 7.0, "7"
//	double  ← 0.7, 1, "0.7"
//	boolean ← true, "true", "True"
//	string  ← "stop"
//	string[] ← ["stop"], "[\"stop\"]", "stop"
func coerce(v pcommon.Value, t semconv.Type) (value, bool) {
	switch t {
	case semconv.Any:
		return valueOf(v), true
	case semconv.String:
		return text(v.Str()), v.Type() == pcommon.ValueTypeStr
	case semconv.Int:
		i, ok := asInt(v)
		return integer(i), ok
	case semconv.Double:
		f, ok := asDouble(v)
		return number(f), ok
	case semconv.Boolean:
		b, ok := asBool(v)
		return boolean(b), ok
	case semconv.StringArray:
		return asStrings(v)
	case semconv.IntArray:
		return valueOf(v), isSliceOf(v, pcommon.ValueTypeInt)
	case semconv.DoubleArray:
		return valueOf(v), isSliceOf(v, pcommon.ValueTypeDouble)
	case semconv.BooleanArray:
		return valueOf(v), isSliceOf(v, pcommon.ValueTypeBool)
	default:
		return value{}, false
	}
}

func asInt(v pcommon.Value) (int64, bool) {
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return v.Int(), true
	case pcommon.ValueTypeDouble:
		return integral(v.Double())
	case pcommon.ValueTypeStr:
		if i, err := strconv.ParseInt(v.Str(), 10, 64); err == nil {
			return i, true
		}
		// A text with a fraction or an exponent goes by way of a double, which is exact up to here.
		f, ok := parseNumber(v.Str())
		if !ok || math.Abs(f) >= maxExact {
			return 0, false
		}
		return integral(f)
	default:
		return 0, false
	}
}

// maxExact is the integer up to which a double holds every integer.
const maxExact = 1 << 53

func integral(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}

func asDouble(v pcommon.Value) (float64, bool) {
	switch v.Type() {
	case pcommon.ValueTypeDouble:
		return v.Double(), true
	case pcommon.ValueTypeInt:
		f := float64(v.Int())
		i, ok := integral(f)
		return f, ok && i == v.Int()
	case pcommon.ValueTypeStr:
		if i, err := strconv.ParseInt(v.Str(), 10, 64); err == nil {
			f := float64(i)
			back, ok := integral(f)
			return f, ok && back == i
		}
		return parseNumber(v.Str())
	default:
		return 0, false
	}
}

// parseNumber reads a decimal number. The other spellings of Go (0x1p-2, 1_000, inf) are not what engines mean.
func parseNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func asBool(v pcommon.Value) (b, ok bool) {
	switch v.Type() {
	case pcommon.ValueTypeBool:
		return v.Bool(), true
	case pcommon.ValueTypeStr:
		switch v.Str() {
		case "true", "True": // JSON and Python
			return true, true
		case "false", "False":
			return false, true
		}
	}
	return false, false
}

// asStrings reads a list of strings. Engines put it into a string as JSON; a text that is not such a list is
// the only element of one.
func asStrings(v pcommon.Value) (value, bool) {
	switch v.Type() {
	case pcommon.ValueTypeSlice:
		return valueOf(v), isSliceOf(v, pcommon.ValueTypeStr)
	case pcommon.ValueTypeStr:
		list, ok := parseStrings(v.Str())
		return value{Scalar: mapping.Scalar{Type: semconv.StringArray}, list: list}, ok
	default:
		return value{}, false
	}
}

func parseStrings(s string) ([]string, bool) {
	if list, ok := plainStrings(s); ok {
		return list, true
	}
	if trimmed := strings.TrimLeft(s, jsonSpace); !strings.HasPrefix(trimmed, "[") || !json.Valid([]byte(s)) {
		return []string{s}, true
	}
	// Pointers tell null, which is not a string, from the empty string.
	var elements []*string
	if err := json.Unmarshal([]byte(s), &elements); err != nil {
		return nil, false
	}
	list := make([]string, len(elements))
	for i, element := range elements {
		// The decoder replaces what is no Unicode. That would not be carrying it over.
		if element == nil || strings.ContainsRune(*element, utf8.RuneError) && !strings.ContainsRune(s, utf8.RuneError) {
			return nil, false
		}
		list[i] = *element
	}
	return list, true
}

const jsonSpace = " \t\r\n"

// plainStrings reads a list as engines write it, ["stop"], in a fraction of the time that JSON takes. It reports false
// for all else: escapes, other characters than ASCII, other types, what is no JSON, and the empty list.
func plainStrings(s string) (list []string, ok bool) {
	rest, ok := strings.CutPrefix(strings.Trim(s, jsonSpace), "[")
	for ok {
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, jsonSpace), `"`); !ok {
			break
		}
		var element string
		if element, rest, ok = strings.Cut(rest, `"`); !ok || !isPlain(element) {
			break
		}
		list = append(list, element)
		if rest = strings.TrimLeft(rest, jsonSpace); rest == "]" {
			return list, true
		}
		rest, ok = strings.CutPrefix(rest, ",")
	}
	return nil, false
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= utf8.RuneSelf || s[i] == '\\' {
			return false
		}
	}
	return true
}

func isSliceOf(v pcommon.Value, t pcommon.ValueType) bool {
	if v.Type() != pcommon.ValueTypeSlice {
		return false
	}
	for i := range v.Slice().Len() {
		if v.Slice().At(i).Type() != t {
			return false
		}
	}
	return true
}

// equal compares values of the same registry type.
func (v *value) equal(o *value) bool {
	if v.Type == semconv.StringArray || v.hasOther() || o.hasOther() {
		return v.inPdata().Equal(o.inPdata())
	}
	bothNaN := math.IsNaN(v.Double) && math.IsNaN(o.Double)
	return v.Scalar == o.Scalar || bothNaN
}

// inPdata returns the value itself if it is in pdata already.
func (v *value) inPdata() pcommon.Value {
	if v.hasOther() {
		return v.other
	}
	return v.toPdata()
}

func (v *value) toPdata() pcommon.Value {
	p := pcommon.NewValueEmpty()
	v.setTo(p)
	return p
}

// detach leaves no reference into the item, so that the item's attributes can move.
func (v *value) detach() {
	if v.hasOther() {
		v.other = v.toPdata()
	}
}

// setTo writes the value into an attribute.
func (v *value) setTo(dest pcommon.Value) {
	switch v.Type {
	case semconv.String:
		dest.SetStr(v.Str)
	case semconv.Int:
		dest.SetInt(v.Int)
	case semconv.Double:
		dest.SetDouble(v.Double)
	case semconv.Boolean:
		dest.SetBool(v.Bool)
	case semconv.StringArray:
		slice := dest.SetEmptySlice()
		slice.EnsureCapacity(len(v.list))
		for _, s := range v.list {
			slice.AppendEmpty().SetStr(s)
		}
	default:
		v.other.CopyTo(dest)
	}
}

// isIn tells whether the attribute holds the value already, in the value's own type.
func (v *value) isIn(dest pcommon.Value) bool {
	if v.Type == semconv.String && isOf(dest, v.Type) {
		return dest.Str() == v.Str
	}
	return isOf(dest, v.Type) || v.hasOther()
}
