package law

import (
	"maps"
	"slices"
	"strings"
)

// An index says which rows of an event log are about what.
type index struct {
	all     []int
	kinds   map[string][]int            // by event_type
	batches map[string][]int            // snapshots and nodes_info by what they hold
	of      map[string]map[string][]int // by a key that names something, and its value
}

// naming are the keys of a row that name something.
var naming = []string{"tree_id", "node_address", "operation_id", "job_id", "tree_snapshot_id", "pool", "authenticated_user"}

// holding are the keys of a row below which things stand by their names.
var holding = []string{"operations", "pools", "nodes"}

func newIndex(rows []any) *index {
	x := &index{kinds: map[string][]int{}, batches: map[string][]int{}, of: map[string]map[string][]int{}}
	for i, row := range rows {
		x.all = append(x.all, i)
		m := row.(map[string]any)
		kind, _ := m["event_type"].(string)
		x.kinds[kind] = append(x.kinds[kind], i)
		for _, key := range naming {
			if name, ok := m[key].(string); ok {
				if x.of[key] == nil {
					x.of[key] = map[string][]int{}
				}
				x.of[key][name] = append(x.of[key][name], i)
			}
		}
		for _, key := range holding {
			if _, ok := m[key].(map[string]any); ok {
				x.batches[key] = append(x.batches[key], i)
			}
		}
	}
	return x
}

// mutations are the kinds of damage of an event log. Those that only take away come first.
var mutations = []struct {
	kind string
	draw func(l *eventLog, r *dice) []edit
}{
	{"row lost", func(l *eventLog, r *dice) []edit { return dropped(logRows, []int{pick(r, l.index.all)}) }},
	{"rows lost", func(l *eventLog, r *dice) []edit { return dropped(logRows, r.some(l.index.all)) }},
	{"rows of a kind lost", (*eventLog).loseKind},
	{"rows of a job lost", func(l *eventLog, r *dice) []edit { return l.loseOf(r, "job_id") }},
	{"rows about something lost", func(l *eventLog, r *dice) []edit { return l.loseOf(r, pick(r, slices.Sorted(maps.Keys(l.index.of)))) }},
	{"batches lost", (*eventLog).loseBatches},
	{"things lost in batches", (*eventLog).loseThing},
	{"a key lost", (*eventLog).loseKey},
	{"something lost in the export", (*eventLog).loseExported},
	{"cut off", (*eventLog).cutOff},
	{"garbage", (*eventLog).spoil},
	{"garbage", (*eventLog).spoil},
	{"garbage in the export", (*eventLog).spoilExported},
	{"another's name", (*eventLog).misname},
	{"a parent that cannot be", (*eventLog).reparent},
	{"clocks", (*eventLog).spoilTimes},
	{"rows twice", (*eventLog).repeatRows},
	{"rows out of order", (*eventLog).shuffleRows},
	{"rows cut", (*eventLog).cutRows},
}

// mutate draws one kind of damage, or two or three.
func (l *eventLog) mutate(r *dice) (kinds []string, edits []edit) {
	for range pick(r, []int{1, 1, 1, 1, 1, 1, 2, 2, 2, 3}) {
		m := pick(r, mutations)
		kinds, edits = append(kinds, m.kind), append(edits, m.draw(l, r)...)
	}
	return kinds, edits
}

func dropped(part string, rows []int) (edits []edit) {
	for _, i := range rows {
		edits = append(edits, edit{part: part, row: i, do: drop})
	}
	return edits
}

func (l *eventLog) loseKind(r *dice) []edit {
	return dropped(logRows, r.some(l.index.kinds[pick(r, slices.Sorted(maps.Keys(l.index.kinds)))]))
}

func (l *eventLog) loseOf(r *dice, key string) []edit {
	of := l.index.of[key]
	if len(of) == 0 {
		return nil
	}
	return dropped(logRows, r.some(of[pick(r, slices.Sorted(maps.Keys(of)))]))
}

func (l *eventLog) loseBatches(r *dice) []edit {
	rows := l.index.batches[pick(r, slices.Sorted(maps.Keys(l.index.batches)))]
	if trees := l.index.of["tree_id"]; len(trees) > 0 && r.IntN(2) == 0 {
		of := trees[pick(r, slices.Sorted(maps.Keys(trees)))]
		rows = slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return !slices.Contains(of, i) })
	}
	return dropped(logRows, r.some(rows))
}

// loseThing takes a node, a pool or an operation out of the rows that list it.
func (l *eventLog) loseThing(r *dice) (edits []edit) {
	key := pick(r, slices.Sorted(maps.Keys(l.index.batches)))
	rows := l.index.batches[key]
	things, _ := at(l.parts[logRows][pick(r, rows)], []string{key})
	if len(things.(map[string]any)) == 0 {
		return nil
	}
	path := []string{key, pick(r, slices.Sorted(maps.Keys(things.(map[string]any))))}
	for _, i := range r.some(rows) {
		if _, has := at(l.parts[logRows][i], path); has {
			edits = append(edits, edit{part: logRows, row: i, do: unset, path: path})
		}
	}
	return edits
}

// places draws a place in rows of a kind: of one thing, or the same one of all things in a row.
func (l *eventLog) places(r *dice) (places []edit) {
	rows := l.parts[logRows]
	first := pick(r, l.index.kinds[pick(r, slices.Sorted(maps.Keys(l.index.kinds)))])
	path := r.path(rows[first])
	kind, _ := at(rows[first], []string{"event_type"})
	of := []int{first}
	if name, ok := kind.(string); ok && r.IntN(3) > 0 {
		of = r.some(l.index.kinds[name])
	}
	everything := r.IntN(2) == 0
	for _, i := range of {
		for _, path := range alike(rows[i], path, everything) {
			if _, has := at(rows[i], path); has {
				places = append(places, edit{part: logRows, row: i, path: path})
			}
		}
	}
	return places
}

// alike returns the path, or, if it is of one of several things of a row, those of all of them.
func alike(row any, path []string, everything bool) [][]string {
	if !everything || len(path) < 3 || !slices.Contains(holding, path[0]) {
		return [][]string{path}
	}
	things, _ := at(row, path[:1])
	m, _ := things.(map[string]any)
	var all [][]string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, slices.Concat([]string{path[0], name}, path[2:]))
	}
	return all
}

func (l *eventLog) loseKey(r *dice) []edit {
	places := l.places(r)
	for i := range places {
		places[i].do = unset
	}
	return places
}

func (l *eventLog) spoil(r *dice) []edit {
	places := l.places(r)
	if len(places) == 0 {
		return nil
	}
	is, _ := at(l.parts[logRows][places[0].row], places[0].path)
	v := r.garbage(is)
	if kind, _ := at(l.parts[logRows][places[0].row], []string{"event_type"}); kind == "pools_info" {
		v = r.wrongType(is) // an amount may be illegal, which is what rules about configurations look for
	}
	for i := range places {
		places[i].do, places[i].value = set, v
	}
	return places
}

func (l *eventLog) loseExported(r *dice) []edit {
	if r.IntN(6) == 0 {
		return dropped(export, []int{0})
	}
	path := pick(r, l.exported)
	return []edit{{part: export, do: unset, path: path}}
}

func (l *eventLog) spoilExported(r *dice) []edit {
	path := r.path(l.parts[export][0])
	is, _ := at(l.parts[export][0], path)
	return []edit{{part: export, do: set, path: path, value: r.wrongType(is)}}
}

// cutOff cuts the log off at its end or its beginning, in the middle of a row.
func (l *eventLog) cutOff(r *dice) []edit {
	n := r.IntN(len(l.index.all) - 1)
	if r.IntN(2) == 0 {
		return dropped(logRows, l.index.all[:n])
	}
	return append(dropped(logRows, l.index.all[n+1:]), edit{part: logRows, row: n, do: cut, left: r.IntN(100)})
}

// misname writes another name of the log into a row of a job that has another row, which contradicts it. Where
// one row alone tells a name, another one would be a lie and no damage.
func (l *eventLog) misname(r *dice) []edit {
	key := pick(r, []string{"tree_id", "node_address", "operation_id", "job_id"})
	names := slices.Sorted(maps.Keys(l.index.of[key]))
	if len(names) == 0 {
		return nil
	}
	row := pick(r, l.index.of[key][pick(r, names)])
	job, _ := at(l.parts[logRows][row], []string{"job_id"})
	if id, ok := job.(string); !ok || !slices.ContainsFunc(l.index.of["job_id"][id], func(i int) bool {
		return i != row && has(l.parts[logRows][i], []string{key})
	}) {
		return nil
	}
	return []edit{{part: logRows, row: row, do: set, path: []string{key}, value: pick(r, names)}}
}

// reparent gives a pool a parent in records that it cannot have: itself, a pool below it, or one that
// is not there. Another pool would be a lie and no damage: pools move.
func (l *eventLog) reparent(r *dice) (edits []edit) {
	rows := l.index.batches["pools"]
	if len(rows) == 0 {
		return nil
	}
	pools, _ := at(l.parts[logRows][pick(r, rows)], []string{"pools"})
	names := slices.Sorted(maps.Keys(pools.(map[string]any)))
	if len(names) == 0 {
		return nil
	}
	pool := pick(r, names)
	path, parents := []string{"pools", pool, "parent"}, []string{"nowhere", pool}
	for _, name := range names {
		if above, _ := at(pools, []string{name, "parent"}); above == pool {
			parents = append(parents, name)
		}
	}
	parent := pick(r, parents)
	for _, i := range r.some(rows) {
		if _, has := at(l.parts[logRows][i], path); has {
			edits = append(edits, edit{part: logRows, row: i, do: set, path: path, value: parent})
		}
	}
	return edits
}

func (l *eventLog) spoilTimes(r *dice) (edits []edit) {
	key := pick(r, []string{"timestamp", "timestamp", "start_time", "finish_time"})
	value := pick(r, []any{"1970-01-01T00:00:00.000000Z", "2106-02-07T06:28:15.000000Z", "", "yesterday"})
	for _, i := range r.some(l.index.all) {
		if _, has := at(l.parts[logRows][i], []string{key}); has {
			edits = append(edits, edit{part: logRows, row: i, do: set, path: []string{key}, value: value})
		}
	}
	return edits
}

func (l *eventLog) repeatRows(r *dice) (edits []edit) {
	far := r.IntN(2) * len(l.index.all)
	for _, i := range r.some(l.index.all) {
		edits = append(edits, edit{part: logRows, row: i, do: copied, place: float64(i + far)})
	}
	return edits
}

func (l *eventLog) shuffleRows(r *dice) (edits []edit) {
	rows := slices.Clone(r.some(l.index.all))
	near := r.IntN(2) == 0
	for k, to := range r.Perm(len(rows)) {
		place := float64(rows[to])
		if near {
			place = float64(rows[k]) + 40*r.Float64() - 20
		}
		edits = append(edits, edit{part: logRows, row: rows[k], do: move, place: place})
	}
	return edits
}

func (l *eventLog) cutRows(r *dice) (edits []edit) {
	for _, i := range r.some(l.index.all) {
		if r.IntN(3) == 0 {
			edits = append(edits, edit{part: logRows, row: i, do: cut, left: r.IntN(100)})
		}
	}
	return edits
}

// shown is a row for reading: no longer than a screen.
func shown(row string) string {
	if len(row) > 600 {
		return strings.ToValidUTF8(row[:600], "?") + " …"
	}
	return row
}
