// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// pattern is a regular expression with a text that is in all it matches. Looking for that costs a fraction of
// matching, and most names that are asked about do not have it.
type pattern struct {
	*regexp.Regexp
	literal string
}

// mustPattern compiles an expression that was checked when the table was read.
func mustPattern(expression string) *pattern {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return &pattern{Regexp: regexp.MustCompile(expression), literal: requiredLiteral(parsed)}
}

func (p *pattern) matches(s string) bool { return strings.Contains(s, p.literal) && p.MatchString(s) }

// requiredLiteral returns the longest text that surely is in everything that matches, or nothing.
//
//	^\s*(prefill |decode )?Req \S{1,8}$ → "Req "
func requiredLiteral(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		literal := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 || strings.ContainsRune(literal, utf8.RuneError) {
			return "" // Bytes that are no character match the rune for such ones.
		}
		return literal
	case syntax.OpCapture, syntax.OpPlus:
		return requiredLiteral(re.Sub[0])
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if literal := requiredLiteral(sub); len(literal) > len(longest) {
				longest = literal
			}
		}
		return longest
	default:
		return ""
	}
}
