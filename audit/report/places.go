package report

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"poolproof/core/pooltree"
	"poolproof/core/quantity"
)

// resourceNames are the resources, in the order of a vector.
var resourceNames = [5]string{"user_slots", "cpu", "gpu", "memory", "network"}

// A vector has amounts of each resource; of cpu in hundredths of a core and of gpu in thousandths of a
// device, so that sums are exact.
type vector [5]int64

// amount is one of them for a person.
func amount(k int, n int64) string {
	x := float64(n)
	switch resourceNames[k] {
	case "cpu":
		x /= 100
	case "gpu":
		x /= 1000
	}
	return quantity.Amount(resourceNames[k], x)
}

// naturalAmount is SQL for a column of a resource in the unit that people read: the tables count GPUs
// as the log does.
func naturalAmount(resource, column string) string {
	return fmt.Sprintf("internal.column_amount('%s', %s, internal.source_unit('%[1]s'))", resource, column)
}

// scanned are the targets of the columns that amountColumns selects.
func (a *vector) scanned() []any {
	targets := make([]any, len(a))
	for k := range a {
		targets[k] = &a[k]
	}
	return targets
}

// fitsIn reports whether no amount is greater than that of another vector.
func (a vector) fitsIn(other vector) bool {
	for k := range a {
		if a[k] > other[k] {
			return false
		}
	}
	return true
}

// shareColumns selects the shares of a prefix.
func shareColumns(prefix string) string {
	var columns []string
	for _, name := range resourceNames {
		columns = append(columns, "coalesce("+prefix+name+", 0)::DOUBLE")
	}
	return strings.Join(columns, ", ")
}

// amountColumns selects the amounts of a prefix, 0 for none, through an aggregate if one is
// given.
func amountColumns(aggregate, prefix string) string {
	var columns []string
	for _, name := range resourceNames {
		column := prefix + name
		if name == "cpu" {
			column = "round(100 * " + column + ")"
		}
		column = aggregate + "(" + column + ")"
		if name == "gpu" {
			column = "internal.whole(1000 * " + naturalAmount(name, column) + ")"
		}
		columns = append(columns, "coalesce("+column+", 0)::BIGINT")
	}
	return strings.Join(columns, ", ")
}

// A place is a node at a moment.
type place struct {
	node, segment string
	tags          pooltree.Tags
	ssd           bool
	size, free    vector
}

// placesQuery has the nodes of the tree $1 at the µs $2, what each is and what its jobs hold.
var placesQuery = `
WITH held AS (
  SELECT node, ` + named(amountColumns("sum", "resources_")) + ` FROM jobs
  WHERE tree = $1 AND start_time <= make_timestamp($2) AND (end_time IS NULL OR end_time > make_timestamp($2)) AND node IS NOT NULL
  GROUP BY node
)
SELECT n.node, n.scheduling_segment, n.tags, n.is_ssd, ` + amountColumns("", "n.limit_") + `, coalesce(held.a, 0), coalesce(held.b, 0), coalesce(held.c, 0), coalesce(held.d, 0), coalesce(held.e, 0)
FROM nodes AS n LEFT JOIN held USING (node)
WHERE n.tree = $1 AND n.from_time <= make_timestamp($2) AND n.to_time > make_timestamp($2)
ORDER BY n.node`

// named gives columns the names a, b, ...
func named(columns string) string {
	parts := strings.Split(columns, "::BIGINT")
	for i := range parts[:len(parts)-1] {
		parts[i] += "::BIGINT AS " + string(rune('a'+i))
	}
	return strings.Join(parts, "")
}

// readPlaces returns the nodes that serve a tree at a moment, and how many it ever had.
func readPlaces(ctx context.Context, db *sql.DB, tree string, at int64) (all []place, ever int, err error) {
	if err := db.QueryRowContext(ctx, "SELECT count(DISTINCT node) FROM nodes WHERE tree = $1", tree).Scan(&ever); err != nil {
		return nil, 0, fmt.Errorf("count the nodes of tree %s: %w", tree, err)
	}
	rows, err := db.QueryContext(ctx, placesQuery, tree, at)
	if err != nil {
		return nil, 0, fmt.Errorf("read the nodes of tree %s: %w", tree, err)
	}
	defer rows.Close()
	for rows.Next() {
		var p place
		var tags string
		var held vector
		targets := []any{&p.node, &p.segment, &tags, &p.ssd}
		if err := rows.Scan(append(append(targets, p.size.scanned()...), held.scanned()...)...); err != nil {
			return nil, 0, err
		}
		if tags != "" {
			p.tags = pooltree.NewTags(strings.Split(tags, ",")...)
		}
		for k := range p.free {
			p.free[k] = p.size[k] - held[k]
		}
		all = append(all, p)
	}
	return all, ever, rows.Err()
}

// A condition is one that a node has to meet.
type condition struct {
	text  string
	meets func(*place) bool
	lacks func(*place) (share float64, text string) // of one that does not, for ever 2; nil where there is no more or less
}

// placeConditions are the rows of the table of conditions: how many nodes meet each, how many
// those above as well, and which comes nearest of those that meet all others but this one. The one
// that keeps the job from most nodes is marked if the nodes decide and none meets all.
func placeConditions(places []place, ever int, conditions []condition, decide bool) *grid {
	g := &grid{columns: []column{{"condition", "", "condition"}, {"nodes", "nodes", "nodes that meet it"},
		{"nodes_left", "nodes", "and all above"}, {"nearest", "", "nearest to it"}, {"decided", "", ""}}}
	g.Rows = append(g.Rows, []value{word("online in the tree"), nodeCount(len(places)), nodeCount(len(places)),
		word(fmt.Sprintf("of %s it had", count(ever, "node that", "nodes that"))), {false, ""}})
	left := slices.Clone(places)
	deciding := -1
	if decide {
		deciding = decidingOf(places, conditions)
	}
	for i, c := range conditions {
		alone := 0
		for j := range places {
			if c.meets(&places[j]) {
				alone++
			}
		}
		left = slices.DeleteFunc(left, func(p place) bool { return !c.meets(&p) })
		text, last := c.text, i == deciding
		if last {
			text += decided
		}
		g.Rows = append(g.Rows, []value{{c.text, text}, nodeCount(alone), nodeCount(len(left)), wordOrNone(nearest(places, conditions, i)), {last, ""}})
	}
	return g
}

// decidingOf is the condition that decides where no node meets all: the first about what a node is
// that leaves none, else, of the nodes that are left then, the last one about room that most of them fail;
// -1 if some node meets all.
func decidingOf(places []place, conditions []condition) int {
	left, at, most := slices.Clone(places), -1, 0
	for i, c := range conditions {
		if c.lacks != nil {
			failing := 0
			for j := range left {
				if !c.meets(&left[j]) {
					failing++
				}
			}
			if failing > 0 && failing >= most {
				at, most = i, failing
			}
			continue
		}
		left = slices.DeleteFunc(left, func(p place) bool { return !c.meets(&p) })
		if len(left) == 0 {
			return i
		}
	}
	if slices.ContainsFunc(left, func(p place) bool { return len(failing(&p, conditions)) == 0 }) {
		return -1
	}
	return at
}

func nodeCount(n int) value { return value{int64(n), number(int64(n))} }

// shortfall returns how far a node is from meeting all conditions except one, and that one.
func shortfall(p *place, conditions []condition, but int) (others int, lack float64) {
	for i, c := range conditions {
		switch {
		case c.meets(p):
		case i != but:
			others++
			lack++
		case c.lacks != nil:
			share, _ := c.lacks(p)
			lack += share
		}
	}
	return others, lack
}

// nearest is the node that lacks least of a condition, of those that meet most of the others.
func nearest(places []place, conditions []condition, i int) string {
	if conditions[i].lacks == nil {
		return ""
	}
	text, least := "", -1.0
	for j := range places {
		p := &places[j]
		if conditions[i].meets(p) {
			continue
		}
		others, lack := shortfall(p, conditions, i)
		if least >= 0 && lack >= least {
			continue
		}
		least = lack
		_, has := conditions[i].lacks(p)
		text = "node " + p.node + " " + has
		if others > 0 {
			text += fmt.Sprintf(", and fails %s more", count(others, "condition", "conditions"))
		}
	}
	return text
}

// closest is the node that fails fewest conditions, of several the one that lacks least of
// what it fails.
func closest(places []place, conditions []condition) *place {
	best, failed, least := 0, len(conditions)+1, 0.0
	for j := range places {
		n, lack := 0, 0.0
		for _, c := range conditions {
			if c.meets(&places[j]) {
				continue
			}
			n++
			share := 1.0
			if c.lacks != nil {
				share, _ = c.lacks(&places[j])
			}
			lack += share
		}
		if cmp.Or(cmp.Compare(n, failed), cmp.Compare(lack, least)) < 0 {
			best, failed, least = j, n, lack
		}
	}
	return &places[best]
}

// failing tells what a node fails.
func failing(p *place, conditions []condition) (all []string) {
	for _, c := range conditions {
		switch {
		case c.meets(p):
		case c.lacks == nil:
			all = append(all, "it is not "+c.text)
		default:
			_, has := c.lacks(p)
			all = append(all, "it "+has)
		}
	}
	return all
}

// roomFor are the conditions that a job of a size finds room, one per resource that it takes
// and that the log records of nodes.
func roomFor(job vector, places []place) (all []condition) {
	for k, need := range job {
		if need <= 0 || !isRecorded(k, places) {
			continue
		}
		var together int64
		for i := range places {
			together += max(places[i].free[k], 0)
		}
		all = append(all, hasFree(k, need, fmt.Sprintf("; all nodes together have %s", amount(k, together))))
	}
	return all
}

// leastOffered are the conditions that as much is free as has to be for anything to be started on a
// node, where that is more than a job takes (core/spec/scheduling.md §9.2).
func leastOffered(spare, job vector, places []place) (all []condition) {
	for k, need := range spare {
		if need > job[k] && isRecorded(k, places) {
			all = append(all, hasFree(k, need, ", min_spare_resources, below which nothing is started"))
		}
	}
	return all
}

func isRecorded(k int, places []place) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.size[k] != 0 })
}

// hasFree is the condition that a node has so much free.
func hasFree(k int, need int64, what string) condition {
	return condition{
		text:  amount(k, need) + " free" + what,
		meets: func(p *place) bool { return p.free[k] >= need },
		lacks: func(p *place) (float64, string) {
			if p.size[k] < need {
				return 2, fmt.Sprintf("has %s in all", amount(k, p.size[k]))
			}
			return float64(need-p.free[k]) / float64(need), fmt.Sprintf("has %s free", amount(k, max(p.free[k], 0)))
		},
	}
}
