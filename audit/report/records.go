package report

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ofInputs is the field of snapshot_errors that compares a recorded fair share with the one
// that the inputs of the same snapshot give; ofReplay compares it with the replay's.
const (
	ofInputs = "fair_share_of_recorded_inputs"
	ofReplay = "fair_share"
)

// Inputs of a fair share by their fields in snapshot_errors. Settings are what no snapshot
// tells to the recomputation; the rest it takes from the snapshot, and only the replay has its
// own.
var (
	settingInputs  = []string{"strong_guarantee_share", "weight", "resource_limits"}
	recordedInputs = []string{"resource_total", "accumulated_resource_ratio_volume", "resource_usage", "resource_demand"}
)

// A difference is a row of snapshot_errors at one moment.
type difference struct {
	kind, pool, operation, field, resource string
	path                                   string // of the pool
	error, recorded, recomputed            float64
}

// name returns the name of the element.
func (d *difference) name() string {
	if d.operation != "" {
		return d.operation
	}
	return d.pool
}

// depth counts the elements above.
func (d *difference) depth() int {
	n := 0
	if d.path != "" {
		n = strings.Count(d.path, "/") + 1
	}
	if d.operation != "" {
		n++
	}
	return n
}

// above is the path of the pool that the element stands in.
func (d *difference) above() string {
	if d.operation != "" {
		return d.path
	}
	parent, _, nested := cutLast(d.path)
	if !nested {
		return ""
	}
	return parent
}

func cutLast(path string) (above, last string, nested bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// isBelow reports whether the element is in a pool, or is it.
func (d *difference) isBelow(path string) bool {
	return path == "" || d.path == path || strings.HasPrefix(d.path, path+"/")
}

// recordsBeside tells where the recorded fair share of an element, or of any of a tree where
// kind is tree, is not the recomputed one in a span: the first element from the root down that
// differs at its first snapshot, and the recorded inputs that differ from the replay's.
func (d *Document) recordsBeside(ctx context.Context, db *sql.DB, tree, kind, name string, from, to time.Time) error {
	at, own, err := firstDifference(ctx, db, tree, kind, name, from, to)
	if err != nil || own == nil {
		return err
	}
	all, err := differencesAt(ctx, db, tree, at)
	if err != nil {
		return err
	}
	moment := time.UnixMicro(at).UTC()
	p := d.add("records", "Recorded beside recomputed fair shares, "+span(&moment, &moment))
	inputs := settingInputs
	if own.field == ofInputs {
		p.addLine(0, "%s %s: recorded %s; the recorded inputs give %.6g", own.kind, own.name(), own.recordedText(), own.recomputed)
	} else {
		inputs = append(slices.Clone(recordedInputs), settingInputs...)
		p.addLine(0, "%s %s: recorded %s, as the recorded inputs give; %.6g in the replay, which has other inputs", own.kind, own.name(), own.recordedText(), own.recomputed)
	}
	first := topmost(all, own.field, inputs)
	p.addLine(0, "the first that differs, from the root down: %s %s, recorded %s, recomputed %.6g", first.kind, first.name(), first.recordedText(), first.recomputed)
	p.causes(causesOf(all, first, inputs))
	return nil
}

// recordedText is the recorded value with the resource that it is of.
func (d *difference) recordedText() string {
	return fmt.Sprintf("%.6g%s", d.recorded, inParentheses(d.resource))
}

// firstDifference returns the difference of the element that began first in the span, one that the
// recorded inputs do not explain before others, and when; nil if there is none. A difference that
// ended when the span begins does not count: values agree again in the record at to_time.
func firstDifference(ctx context.Context, db *sql.DB, tree, kind, name string, from, to time.Time) (at int64, own *difference, err error) {
	own = &difference{}
	row := db.QueryRowContext(ctx, `
SELECT epoch_us(greatest(e.from_time, make_timestamp($4))), element_kind, pool, coalesce(operation, ''), field, coalesce(resource, ''), error, recorded, recomputed
FROM snapshot_errors AS e
WHERE tree = $1 AND ($2 = 'tree' OR element_kind = $2 AND coalesce(operation, pool) = $3) AND field IN ('`+ofInputs+`', '`+ofReplay+`')
  AND from_time <= make_timestamp($5) AND (to_time > make_timestamp($4) OR from_time >= make_timestamp($4))
ORDER BY field = '`+ofReplay+`', from_time, element_kind <> 'pool', pool, operation
LIMIT 1`, tree, kind, name, from.UnixMicro(), to.UnixMicro())
	err = row.Scan(&at, &own.kind, &own.pool, &own.operation, &own.field, &own.resource, &own.error, &own.recorded, &own.recomputed)
	if err == sql.ErrNoRows {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, fmt.Errorf("look for recorded shares of %s %s: %w", kind, name, err)
	}
	return at, own, nil
}

// differencesAt returns what differs in the snapshot of a moment or, between two, in the one
// before it.
func differencesAt(ctx context.Context, db *sql.DB, tree string, at int64) ([]*difference, error) {
	rows, err := db.QueryContext(ctx, `
SELECT element_kind, e.pool, coalesce(operation, ''), field, coalesce(resource, ''), error, recorded, recomputed, coalesce(p.path, '')
FROM snapshot_errors AS e
LEFT JOIN pools AS p ON p.tree = e.tree AND p.pool = e.pool AND e.pool <> '<Root>'
WHERE e.tree = $1 AND e.from_time <= make_timestamp($2) AND (e.to_time > make_timestamp($2) OR e.from_time = make_timestamp($2))
ORDER BY ALL`, tree, at)
	if err != nil {
		return nil, fmt.Errorf("look for what differs from the records: %w", err)
	}
	defer rows.Close()
	var all []*difference
	for rows.Next() {
		d := &difference{}
		if err := rows.Scan(&d.kind, &d.pool, &d.operation, &d.field, &d.resource, &d.error, &d.recorded, &d.recomputed, &d.path); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, rows.Err()
}

// topmost is the difference of a field nearest to the root; of several at one depth one of
// whose own inputs one differs, too.
func topmost(all []*difference, field string, inputs []string) (first *difference) {
	differs := func(d *difference) bool {
		return slices.ContainsFunc(all, func(x *difference) bool {
			return x.kind == d.kind && x.name() == d.name() && slices.Contains(inputs, x.field)
		})
	}
	for _, d := range all {
		if d.field != field {
			continue
		}
		if first == nil || d.depth() < first.depth() || d.depth() == first.depth() && differs(d) && !differs(first) {
			first = d
		}
	}
	return first
}

// causesOf are the inputs that differ: those of the whole tree, then of the first element that
// differs, of those that share with it, of what is below it, and of others. Usage and demand
// of a pool are those of its operations.
func causesOf(all []*difference, first *difference, inputs []string) (causes []*difference) {
	place := func(d *difference) int {
		switch {
		case d.field == "resource_total":
			return 0
		case d.kind == first.kind && d.name() == first.name():
			return 1
		case d.depth() == first.depth() && d.above() == first.above():
			return 2
		case first.operation == "" && d.isBelow(first.path):
			return 3
		}
		return 4
	}
	for _, d := range all {
		sums := d.kind == "pool" && (d.field == "resource_usage" || d.field == "resource_demand")
		if slices.Contains(inputs, d.field) && !sums {
			causes = append(causes, d)
		}
	}
	slices.SortStableFunc(causes, func(a, b *difference) int {
		if x, y := place(a), place(b); x != y {
			return x - y
		}
		return slices.Index(inputs, a.field) - slices.Index(inputs, b.field)
	})
	return causes
}

// shownCauses bounds the number of inputs that are named.
const shownCauses = 5

func (p *passage) causes(causes []*difference) {
	if len(causes) == 0 {
		p.addLine(0, "no recorded input is another than the replay's: the log does not record the one that differs, or the scheduler shares by another rule")
		return
	}
	title := "the input that would explain it"
	if len(causes) > 1 {
		title = "the inputs that would explain it, the likeliest first"
	}
	p.addLine(0, "%s:", title)
	for i, d := range causes {
		if i == shownCauses {
			p.addLine(1, "and %d more", len(causes)-i)
			break
		}
		p.addLine(1, "%s%s of %s %s: recorded %.6g, in the replay %.6g", strings.ReplaceAll(d.field, "_", " "),
			inParentheses(d.resource), d.kind, d.name(), d.recorded, d.recomputed)
	}
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
