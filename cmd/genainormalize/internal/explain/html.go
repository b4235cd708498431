// SPDX-License-Identifier: Apache-2.0

package explain // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/explain"

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/genainormalize/genainormalizeprocessor/internal/normalize"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"groups":  func(c classRows) [][]Row { return c.groups() },
	"shared":  func(group []Row) bool { return len(group) > 1 },
	"caveats": func(r Row) []string { return r.caveats() },
	"source":  func(r Row) string { return r.source() },
	"target": func(r Row) string {
		if r.Fate == word(normalize.Converted) {
			return r.Target // also where it is the source
		}
		return r.target()
	},
	"conversion": func(r Row) string { return r.conversion() },
	"evidence":   func(k Recognised) string { return k.evidence() },
	"slug": func(c Class) string {
		return map[Class]string{LookAt: "look", Changed: "changed", Stays: "stays"}[c]
	},
}).Parse(pageText))

func (r *Report) writeHTML(w io.Writer) error {
	return page.Execute(w, struct {
		Report   *Report
		Summary  []string
		Sections []section
	}{r, r.summary(), r.sections()})
}
