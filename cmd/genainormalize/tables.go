// SPDX-License-Identifier: Apache-2.0

package main // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize"

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/genainormalize/genainormalizeprocessor"
	"github.com/genainormalize/genainormalizeprocessor/mapping"
)

func newTablesCommand() *cobra.Command {
	var target, engine, version, format string
	var configured *config
	cmd := &cobra.Command{
		Use:   "tables [NAME...]",
		Short: "Say what becomes of a metric or an attribute",
		Long: `List the rows that are about a name: a metric in any spelling (vllm:num_preemptions_total, ray_vllm_num_preemptions), also
one series of a histogram, an attribute of spans, an event, or the id of a row. Without names all rows are listed.

Each line has the row's id, what it is about and what that becomes, the units, the basis, the file and line where it is
written, and whether it is on: for a row that is off the option that switches it on. exclude: [id] switches a row off.
Rows marked with a star are about some points of a metric only, or wait for a proof; the row says which.`,
		Example: `  genainormalize tables vllm:num_preemptions_total
  genainormalize tables --engine sglang --engine-version 0.5.21
  genainormalize tables --config genainormalize.yaml --format json gen_ai.usage.prompt_tokens`,
		RunE: func(cmd *cobra.Command, names []string) error {
			write, ok := map[string]func(io.Writer, []mapping.ListedRow) error{"table": writeRows, "json": writeRowsJSON}[format]
			if !ok {
				return fmt.Errorf("--format %q: table or json is expected", format)
			}
			if version != "" && engine == "" {
				return errors.New("--engine-version: --engine says of which")
			}
			cfg, err := configured.load()
			if err != nil {
				return err
			}
			if target != "" {
				cfg.Semconv = target
			}
			if version != "" {
				options := cfg.Engines[engine]
				options.Version = version
				if cfg.Engines == nil {
					cfg.Engines = map[string]genainormalizeprocessor.EngineConfig{}
				}
				cfg.Engines[engine] = options
			}
			rules, err := cfg.RuleSet()
			if err != nil {
				return err
			}
			rows := rules.Rows()
			if engine != "" {
				if rows = rowsOf(rows, engine); len(rows) == 0 {
					return fmt.Errorf("--engine %q: there is no such engine", engine)
				}
			}
			rows, unknown := rowsAbout(rules, rows, names)
			if len(rows) > 0 || format == "json" {
				if err := write(cmd.OutOrStdout(), rows); err != nil {
					return err
				}
			}
			for _, note := range unknown {
				fmt.Fprintln(cmd.ErrOrStderr(), note)
			}
			return nil
		},
	}
	configured = newConfig(cmd)
	cmd.Flags().StringVar(&target, "target", "", "semantic conventions version instead of the configured one")
	cmd.Flags().StringVar(&engine, "engine", "", "rows of this engine only")
	cmd.Flags().StringVar(&version, "engine-version", "", "release of the engine instead of the configured one")
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}

func rowsOf(rows []mapping.ListedRow, engine string) (own []mapping.ListedRow) {
	for _, row := range rows {
		if row.Engine == engine {
			own = append(own, row)
		}
	}
	return own
}

// rowsAbout returns the rows about names, or all without any, and what is to be said of names that no row is about.
func rowsAbout(rules *mapping.RuleSet, rows []mapping.ListedRow, names []string) (found []mapping.ListedRow, notes []string) {
	if len(names) == 0 {
		return rows, nil
	}
	seen := map[string]bool{}
	for _, name := range names {
		about := aboutName(rows, name)
		if len(about) == 0 {
			for _, suffix := range []string{"_bucket", "_sum", "_count", "_created"} {
				if family, ok := strings.CutSuffix(name, suffix); ok && len(about) == 0 {
					about = aboutName(rows, family)
				}
			}
		}
		if len(about) == 0 {
			notes = append(notes, noteOn(rules, rows, name))
		}
		for _, row := range about {
			if !seen[row.ID] {
				seen[row.ID] = true
				found = append(found, row)
			}
		}
	}
	return found, notes
}

func aboutName(rows []mapping.ListedRow, name string) (about []mapping.ListedRow) {
	for _, row := range rows {
		if row.IsAbout(name) {
			about = append(about, row)
		}
	}
	return about
}

// noteOn says what becomes of a name that no row is about.
func noteOn(rules *mapping.RuleSet, rows []mapping.ListedRow, name string) string {
	var ids []string
	for _, row := range rows {
		if row.Target == name {
			ids = append(ids, row.ID)
		}
	}
	_, isAttribute := rules.Registry().Attribute(name)
	switch {
	case len(ids) > 0:
		return fmt.Sprintf("%s: it is a target, of %s", name, strings.Join(ids, ", "))
	case isAttribute:
		return name + ": it is an attribute of the standard; of recognised items its type is made right"
	case rules.Namespace(name) != nil:
		return fmt.Sprintf("%s: no row is about it; as a metric it passes unchanged and is counted as unmapped of %s", name, rules.Namespace(name).Dialect.Engine)
	default:
		return name + ": no row is about it; it passes unchanged"
	}
}

func writeRows(w io.Writer, rows []mapping.ListedRow) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "ROW\tNAME\tBECOMES\tUNIT\tBASIS\tSTATE\tWHERE")
	for i := range rows {
		row := &rows[i]
		id := row.ID
		if row.Selects {
			id += "*"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			id, strings.Join(row.Names, ", "), orDash(row.Target), orDash(units(row)), orDash(string(row.Basis)), state(row), row.Place)
	}
	return out.Flush()
}

func state(row *mapping.ListedRow) string {
	switch row.State {
	case mapping.StateKept:
		return "kept: " + orDash(row.Why)
	case mapping.StateOff:
		return "off, on with " + row.Option
	default:
		return "on"
	}
}

func units(row *mapping.ListedRow) string {
	if row.TargetUnit == "" || row.TargetUnit == row.Unit {
		return row.Unit
	}
	return row.Unit + " → " + row.TargetUnit
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// jsonRow is a row as scripts read it.
type jsonRow struct {
	Engine     string         `json:"engine"`
	Signal     mapping.Signal `json:"signal"`
	ID         string         `json:"id"`
	Names      []string       `json:"names"`
	Prefixes   []string       `json:"prefixes,omitempty"`
	Target     string         `json:"target,omitempty"`
	Unit       string         `json:"unit,omitempty"`
	TargetUnit string         `json:"target_unit,omitempty"`
	Basis      mapping.Basis  `json:"basis,omitempty"`
	State      mapping.State  `json:"state"`
	Option     string         `json:"option,omitempty"`
	Why        string         `json:"why,omitempty"`
	Versions   string         `json:"versions,omitempty"`
	Dialects   []string       `json:"dialects,omitempty"`
	Caveats    []string       `json:"caveats,omitempty"`
	Selects    bool           `json:"selects,omitempty"`
	Place      string         `json:"place"`
}

func writeRowsJSON(w io.Writer, rows []mapping.ListedRow) error {
	list := make([]jsonRow, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = jsonRow{
			r.Engine, r.Signal, r.ID, r.Names, r.Prefixes, r.Target, r.Unit, r.TargetUnit, r.Basis, r.State, r.Option,
			r.Why, r.Versions, r.Dialects, r.Caveats, r.Selects, r.Place.String(),
		}
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(list)
}
