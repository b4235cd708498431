// SPDX-License-Identifier: Apache-2.0

package mapping // import "github.com/genainormalize/genainormalizeprocessor/mapping"

// Idle says why a row does nothing to its source.
type Idle uint8

const (
	// NotIdle is a row that does something.
	NotIdle Idle = iota
	// IdleKept is a row that keeps the name.
	IdleKept
	// IdleNoPlace is a row whose source the target has no place for.
	IdleNoPlace
	// IdleApproximate is an approximate row that was not asked for.
	IdleApproximate
	// IdleExtension is a row that leads to an extension that was not asked for.
	IdleExtension
	// IdleExcluded is a row or source that the configuration excludes.
	IdleExcluded
	// IdleOtherVersion is a row of other releases than the engine's.
	IdleOtherVersion
	// IdleVersionUnknown is a row of some releases where the engine's is not known, so that a more careful one stands for it.
	IdleVersionUnknown
)

// isOff tells whether the row decides nothing, so that another may. One that keeps a name decides that it stays.
func (i Idle) isOff() bool { return i != NotIdle && i != IdleKept }

// IdleRow is a row of an attribute that does nothing.
type IdleRow struct {
	Row  *Row
	Idle Idle
}

// Idle returns the rows about an attribute that do nothing for the dialect, in the order of the table.
func (d *DialectRules) Idle(source string) []IdleRow { return d.idle[source] }

func (d *DialectRules) addIdle(source string, r *Row, idle Idle) {
	if d.idle == nil {
		d.idle = map[string][]IdleRow{}
	}
	d.idle[source] = append(d.idle[source], IdleRow{r, idle})
}

// idleVersion says why a row is idle that is not used because of its range.
func (c *compiler) idleVersion(t *Table) Idle {
	if c.opts.Engines[t.Engine].Version != "" {
		return IdleOtherVersion
	}
	return IdleVersionUnknown
}

// Version returns the release of an engine that rows were selected for, or nothing where it is not known.
func (rs *RuleSet) Version(engine string) string { return rs.opts.Engines[engine].Version }
