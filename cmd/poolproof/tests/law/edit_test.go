package law

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A deed is what an edit does.
type deed string

const (
	drop   deed = "drop"  // the row
	copied deed = "copy"  // the row stands a second time, at a place
	move   deed = "move"  // the row stands at another place
	set    deed = "set"   // the value at a path is another one
	unset  deed = "unset" // the key at a path is gone
	cut    deed = "cut"   // only so many percent of the row's bytes are left
)

// An edit damages one row of a log, or its export. The edits of a mutation do not depend on each
// other: any part of them is a mutation too.
type edit struct {
	part  string // of the log: rows, export, or a file of a trace
	row   int    // of the undamaged part
	do    deed
	path  []string // of set and unset; of a trace the column
	value any      // of set
	place float64  // of copied and move: behind the row of that number
	left  int      // of cut, percent
}

func (e edit) String() string {
	text := fmt.Sprintf("%s %d: %s", e.part, e.row, e.do)
	switch e.do {
	case set:
		text += fmt.Sprintf(" %s = %.60q", strings.Join(e.path, "/"), fmt.Sprint(e.value))
	case unset:
		text += " " + strings.Join(e.path, "/")
	case copied, move:
		text += fmt.Sprintf(" to %g", e.place)
	case cut:
		text += fmt.Sprintf(" to %d %%", e.left)
	}
	return text
}

// A damagedRow is a row of a log after the edits of it.
type damagedRow struct {
	number int // of the undamaged log
	value  any
	left   int // percent of its bytes
	place  float64
}

// damaged applies edits to the rows of a part.
func damaged(rows []any, part string, edits []edit) []damagedRow {
	kept := make([]damagedRow, len(rows))
	for i, row := range rows {
		kept[i] = damagedRow{i, row, 100, float64(i)}
	}
	gone := map[int]bool{}
	var copies []edit
	for _, e := range edits {
		if e.part != part {
			continue
		}
		r := &kept[e.row]
		switch e.do {
		case drop:
			gone[e.row] = true
		case copied:
			copies = append(copies, e)
		case move:
			r.place = e.place
		case set, unset:
			r.value = withValue(r.value, e.path, e.value, e.do == unset)
		case cut:
			r.left = min(r.left, e.left)
		}
	}
	for _, e := range copies {
		second := kept[e.row]
		second.place = e.place
		kept = append(kept, second)
	}
	kept = slices.DeleteFunc(kept, func(r damagedRow) bool { return gone[r.number] })
	slices.SortStableFunc(kept, func(a, b damagedRow) int { return cmp.Compare(a.place, b.place) })
	return kept
}

// minimal returns the fewest edits for which a mutation still accuses, as far as leaving out parts of
// them shows it: Zeller's and Hildebrandt's ddmin.
func minimal(edits []edit, accuses func([]edit) bool) []edit {
	for parts := 2; len(edits) >= 2; {
		size := (len(edits) + parts - 1) / parts
		smaller := false
		for from := 0; from < len(edits); from += size {
			rest := slices.Concat(edits[:from], edits[min(len(edits), from+size):])
			if accuses(rest) {
				edits, parts, smaller = rest, max(parts-1, 2), true
				break
			}
		}
		switch {
		case smaller:
		case parts >= len(edits):
			return edits
		default:
			parts = min(len(edits), 2*parts)
		}
	}
	return edits
}
