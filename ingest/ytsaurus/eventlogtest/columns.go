package eventlogtest

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest/testcorpus"
	"poolproof/ingest/poolconf"
)

// A row holds the known values of a row of the log, or of a record in one, by the names that logs
// of any age have for them.
type row map[string]any

// with adds values.
func (r row) with(more row) row {
	maps.Copy(r, more)
	return r
}

// columns describe the rows of the sample of an age, and the records in them, by kind: the event
// type and the keys that lead to a record, without its own name.
type columns map[string]*records

// records describe those of a kind.
type records struct {
	count   int
	names   []string // of columns, sorted
	columns map[string]*column
}

// A column describes the values that records have for a key.
type column struct {
	count    int   // records that have it
	first    Value // in the first of them, or in the first whose list has items
	nullable bool  // some are null
}

var samples sync.Map // columns by Age

// columnsOf reads the sample of an age.
func columnsOf(t testing.TB, age Age) columns {
	t.Helper()
	if known, ok := samples.Load(age); ok {
		return known.(columns)
	}
	c := columns{}
	testcorpus.Lines(t, testcorpus.File(t, testcorpus.EventLogs, string(age)+".jsonl.gz"), func(line []byte) {
		v, err := poolconf.ParseJSON(line)
		if err != nil {
			t.Fatal(err)
		}
		r := v.(map[string]any)
		c.add(r["event_type"].(string), r)
	})
	for _, event := range []string{"job_completed", "job_failed", "job_aborted"} { // none of the sample continues another job
		if age != Age2020 {
			c[event].columns["predecessor_job_id"], c[event].columns["predecessor_type"] = &column{first: textOf("")}, &column{first: textOf("")}
		}
	}
	for _, r := range c {
		r.names = slices.Sorted(maps.Keys(r.columns))
	}
	samples.Store(age, c)
	return c
}

// byName are the keys of maps from names to records of one kind.
var byName = []string{"pools", "operations", "nodes", "scheduling_options_per_pool_tree"}

func (c columns) add(kind string, of map[string]any) {
	r := c[kind]
	if r == nil {
		r = &records{columns: map[string]*column{}}
		c[kind] = r
	}
	r.count++
	for key, x := range of {
		if r.columns[key] == nil {
			r.columns[key] = &column{}
		}
		if first := &r.columns[key].first; r.columns[key].count == 0 || first.kind == list && len(first.items) == 0 {
			*first = Age2023.of(x)
		}
		r.columns[key].count++
		r.columns[key].nullable = r.columns[key].nullable || x == nil
		items, isMap := x.(map[string]any)
		switch below := kind + "." + key; {
		case !isMap:
		case below == "pools_info.pools": // by tree
			for _, tree := range slices.Sorted(maps.Keys(items)) {
				c.addNamed(below, items[tree].(map[string]any))
			}
		case slices.Contains(byName, key):
			c.addNamed(below, items)
		default:
			c.add(below, items)
		}
	}
}

func (c columns) addNamed(kind string, all map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		of, below := all[name].(map[string]any), kind
		if name == rootName {
			below += "." + rootName
		} else if of["accumulated_resource_volume"] != nil {
			below += ".integral"
		}
		c.add(below, of)
	}
}

// record returns a record of a kind with the columns of the age. A column that all records of the
// sample have, and that is not known, has the sample's value. Known values that the age does not log are
// left out, as are unset ones where the sample has no null. A kind that the sample lacks has all
// that is known.
func (w *writer) record(kind string, known row) Value {
	r := w.columns[kind]
	if r == nil {
		return w.Age.of(known)
	}
	v := Value{kind: mapping, keys: make([]string, 0, len(r.names)), items: make([]Value, 0, len(r.names))}
	for _, name := range r.names {
		c := r.columns[name]
		x, ok := known[name]
		if !ok {
			if c.count == r.count {
				v.put(name, c.first)
			}
			continue
		}
		var item Value
		if below, ok := x.(row); ok {
			item = w.record(kind+"."+name, below)
		} else {
			item = w.Age.of(x)
		}
		if item.kind != entity || c.nullable {
			v.put(name, item)
		}
	}
	if strings.HasPrefix(kind, "pools_info.") { // where all that is specified stands
		for _, name := range slices.Sorted(maps.Keys(known)) {
			if r.columns[name] == nil {
				v.put(name, w.Age.of(known[name]))
			}
		}
	}
	return v
}

// emit adds a row of the log to the flush at hand.
func (w *writer) emit(at core.Time, event string, known row) {
	known["timestamp"], known["event_type"] = at, event
	kind := event
	if event == "operation_failed" || event == "operation_aborted" { // of which the samples have none, or one
		kind = "operation_completed"
	}
	w.rows = append(w.rows, w.record(kind, known))
}

// projected returns the columns of a projected copy of the log (ingest/trace/FORMAT.md §2), sorted, and
// their kinds: the columns of the rows that the sample has, and the address of a scheduler.
func (c columns) projected() (names []string, kinds map[string]kind) {
	kinds = map[string]kind{"address": text}
	for event, r := range c {
		for name, column := range r.columns {
			if !strings.Contains(event, ".") {
				kinds[name] = column.first.kind
			}
		}
	}
	return slices.Sorted(maps.Keys(kinds)), kinds
}
