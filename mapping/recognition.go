// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import "strings"

// Recognition is what made an item one of a dialect.
type Recognition struct {
	// Facts are those that the form asks for and the item has, of alternatives the first: "scope vllm.llm_engine". All
	// names come from tables.
	Facts []string
	// At is where the dialect is written.
	At Place
}

// Recognition tells on which evidence [RuleSet.Match] claims an item.
func (rs *RuleSet) Recognition(e Evidence, spanName string) Recognition {
	return rs.recognition(match(rs.forms, e, spanName), e)
}

// RecordRecognition tells on which evidence [RuleSet.MatchRecord] claims a log record.
func (rs *RuleSet) RecordRecognition(e Evidence) Recognition {
	return rs.recognition(match(rs.records, e, ""), e)
}

func (rs *RuleSet) recognition(f *form, e Evidence) Recognition {
	if f == nil {
		return Recognition{}
	}
	r := Recognition{At: f.at}
	if f.pattern != nil {
		r.Facts = append(r.Facts, "span name like "+f.pattern.String())
	}
	for _, set := range f.any {
		for bit, name := range rs.facts {
			if fact := fact(bit); set.holds(fact) && e.holds(fact) {
				r.Facts = append(r.Facts, name)
				break
			}
		}
	}
	return r
}

// names returns what the facts are called, by their bits.
func (f *facts) names() []string {
	names := make([]string, firstFact+len(f.bits))
	names[factSemconvName], names[factNoAttributes] = "a span name of operation and model", "no attributes"
	for id, bit := range f.bits {
		kind, name, _ := strings.Cut(id, "\x00")
		key, isValue := strings.CutPrefix(kind, "value ")
		switch {
		case isValue:
			names[bit] = key + "=" + name
		case kind == "name":
			names[bit] = "span name " + name
		default:
			names[bit] = kind + " " + name
		}
	}
	return names
}
