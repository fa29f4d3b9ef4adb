package synthetic

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// recordWrongly alters columns of what is recorded: of snapshots and reports those of the
// fault's span, of jobs all.
func recordWrongly(f *field, d *Fault) {
	f.watched = true
	done := false
	f.recorder.alter = append(f.recorder.alter, func(tree int, at core.Time, table string, row any) {
		outside := table != trace.Jobs.Name && (at < f.from || at >= f.to)
		if table != d.Table || tree != f.tree || outside || done || !f.matches(row, d.Where, at) {
			return
		}
		if job, is := row.(*trace.Job); is && d.Every > 0 && int64(job.Job)%d.Every != 0 {
			return
		}
		before := reflect.ValueOf(row).Elem().Interface()
		f.setAll(row, d.Set, at)
		for name, by := range d.Scale {
			eachColumn(row, name, func(c column) { c.put(c.number() * by) })
		}
		for name, by := range d.Add {
			eachColumn(row, name, func(c column) { c.put(c.number() + by) })
		}
		for name, texts := range d.Replace {
			eachColumn(row, name, func(c column) { c.value.SetString(strings.Replace(c.value.String(), texts[0], texts[1], 1)) })
		}
		done = f.noteEffect(reflect.ValueOf(row).Elem().Interface() != before) && d.Once
	})
}

// ofSnapshots reports whether the fault is in what snapshots say.
func (d *Fault) ofSnapshots() bool {
	return strings.HasPrefix(d.Table, "snap_") || d.Do == "record_pool"
}

// recordPool has snapshots hold a pool that is not there.
func recordPool(f *field, d *Fault) {
	f.watched = true
	f.recorder.strays = append(f.recorder.strays, func(tree int, at core.Time) (row trace.SnapPool, recorded bool) {
		return trace.SnapPool{
			Pool: f.pool(d.Pool), Parent: core.Some(f.pool(d.Parent)), Mode: "fair_share", Weight: 1,
			SnapShares: trace.SnapShares{Dominant: "cpu", StarvationStatus: scheduling.NonStarving.String()},
		}, f.noteEffect(tree == f.tree && at >= f.from && at < f.to)
	})
}

// recordTwice gives a job of the operation the id of another one, on another node.
func recordTwice(f *field, d *Fault) {
	of, first, done := f.operation(d.Operation), trace.Job{Job: core.Unknown}, false
	f.watched = true
	f.recorder.alter = append(f.recorder.alter, func(_ int, _ core.Time, _ string, row any) {
		switch job, is := row.(*trace.Job); {
		case !is || job.Op != of || done:
		case first.Job == core.Unknown:
			first = *job
		case job.Node != first.Node:
			job.ID, done = first.ID, f.noteEffect(true)
		}
	})
}

// recordSinceTurn has snapshots tell starving_since of operations that starve only, and
// mean since when they do.
func recordSinceTurn(f *field, d *Fault) {
	f.watched = true
	turned := map[core.OperationID]core.Time{}
	f.recorder.alter = append(f.recorder.alter, func(tree int, at core.Time, _ string, row any) {
		r, is := row.(*trace.SnapOp)
		if !is || tree != f.tree || at < f.from || at >= f.to {
			return
		}
		before := r.StarvingSince
		if r.StarvationStatus == scheduling.NonStarving.String() {
			delete(turned, r.Op)
			r.StarvingSince = core.Optional[core.Time]{}
		} else {
			turned[r.Op] = cmp.Or(turned[r.Op], r.Time)
			r.StarvingSince = core.Some(turned[r.Op])
		}
		f.noteEffect(r.StarvingSince != before)
	})
}

// recordBan says that a tree has banned the operation, which goes on in it.
func recordBan(f *field, d *Fault) {
	tree, banned := f.draft.tree(f.text(d.Tree)), false
	f.decide(func(h *simulate.Heartbeat, _ *core.Decision) bool {
		if banned || h.Tree != tree || h.At < f.from {
			return false
		}
		banned = true
		f.recorder.asides = append(f.recorder.asides, aside{tree, core.Event{
			Time: h.At, Kind: core.OperationChanged, Step: core.StepBanned, Operation: f.operation(d.Operation), Pool: core.Unknown,
		}})
		return true
	})
}

// configureWrongly stores other settings of the tree, of pools or of a node, and restores
// those before at the span's end.
func configureWrongly(f *field, d *Fault) {
	tree := f.tree
	if d.Tree != "" {
		tree = f.draft.tree(f.text(d.Tree))
	}
	switch d.Table {
	case trace.TreeConfigs.Name:
		configure(f, d, tree, core.TreeConfigured, f.trees[tree].config)
	case trace.NodeStates.Name:
		configure(f, d, tree, core.NodeChanged, f.nodeRow(f.node(d.Of)))
	case trace.PoolConfigs.Name:
		if d.Nested == 0 {
			configure(f, d, tree, core.PoolConfigured, f.poolRow(tree, d.Of))
		}
		parent := core.Optional[core.PoolID]{}
		for depth := 1; depth <= d.Nested; depth++ {
			row := f.poolRow(tree, fmt.Sprint(d.Of, depth))
			row.Parent, parent = parent, core.Some(row.Pool)
			configure(f, d, tree, core.PoolConfigured, row)
		}
	}
}

func configure[R any](f *field, d *Fault, tree int, kind core.Kind, before R) {
	at, wrong, after := f.from-core.Time(d.Early), before, before
	f.setAll(&wrong, d.Set, at)
	f.add(tree, at, kind, &wrong)
	if d.ForGood {
		return
	}
	if d.Then != nil {
		after = wrong
		f.setAll(&after, d.Then, f.to)
	}
	f.add(tree, f.to, kind, &after)
}

// poolRow is a pool as it is configured last, or one that is not yet.
func (f *field) poolRow(tree int, name string) trace.PoolConfig {
	if row, known := f.trees[tree].pool[name]; known {
		return row
	}
	f.addPool(tree, name, false)
	return trace.PoolConfig{Pool: f.poolIDs[tree][name], Mode: "fair_share", IntegralType: "none"}
}

// node is the number of a node of the plant's description.
func (f *field) node(name string) int {
	return slices.IndexFunc(f.nodes, func(n node) bool { return n.address == f.text(name) })
}

// pool is the number of a pool in the plant's tree.
func (f *field) pool(name string) core.PoolID { return f.poolIDs[f.tree][name] }

// A column is one of a row; set says of an optional one whether it holds a value.
type column struct{ value, set reflect.Value }

// eachColumn calls use with the column of the name, or with all that it begins: fair_total
// is fair_total_cpu and so on.
func eachColumn(row any, name string, use func(column)) {
	found := false
	var walk func(v, set reflect.Value, prefix string, all bool)
	walk = func(v, set reflect.Value, prefix string, all bool) {
		for i := range v.NumField() {
			field, set, full := v.Field(i), set, prefix
			if tag := v.Type().Field(i).Tag.Get("col"); tag != "" {
				full = strings.TrimPrefix(prefix+"_"+tag, "_")
			}
			if field.Kind() == reflect.Struct && field.NumField() == 2 && field.Type().Field(1).Name == "Set" {
				field, set = field.Field(0), field.Field(1)
			}
			switch {
			case field.Kind() == reflect.Struct:
				walk(field, set, full, all || full == name)
			case all || full == name:
				use(column{field, set})
				found = true
			}
		}
	}
	walk(reflect.ValueOf(row).Elem(), reflect.Value{}, "", false)
	if !found {
		panic(fmt.Sprintf("synthetic: %T has no column %s", row, name))
	}
}

func (c column) number() float64 {
	if c.value.CanInt() {
		return float64(c.value.Int())
	}
	return c.value.Float()
}

// put stores a number.
func (c column) put(x float64) {
	if c.value.CanInt() {
		c.value.SetInt(int64(x))
	} else {
		c.value.SetFloat(x)
	}
	if c.set.IsValid() {
		c.set.SetBool(true)
	}
}

// setAll sets columns of a row of an instant.
func (f *field) setAll(row any, values map[string]any, at core.Time) {
	for name, v := range values {
		eachColumn(row, name, func(c column) { f.set(c, v, at) })
	}
}

// set stores a value as a description has it: names for numbers, and times as spans from
// an instant.
func (f *field) set(c column, v any, at core.Time) {
	if c.set.IsValid() {
		c.set.SetBool(v != nil)
	}
	text, _ := v.(string)
	switch c.value.Interface().(type) {
	case core.PoolID:
		c.value.SetInt(int64(f.pool(text)))
		return
	case core.OperationID:
		c.value.SetInt(int64(f.operation(text)))
		return
	case core.NodeID:
		c.value.SetInt(int64(f.node(text)))
		return
	case core.Time:
		if span, err := time.ParseDuration(text); err == nil {
			c.value.SetInt(int64(at) + span.Microseconds())
			return
		}
	}
	switch x := v.(type) {
	case nil:
		c.value.SetZero()
	case string:
		c.value.SetString(f.text(x))
	default:
		c.value.Set(reflect.ValueOf(v).Convert(c.value.Type()))
	}
}

// matches reports whether a row has all values.
func (f *field) matches(row any, values map[string]any, at core.Time) bool {
	all := true
	for name, v := range values {
		eachColumn(row, name, func(c column) {
			if v == "some" {
				all = all && !c.value.IsZero()
				return
			}
			want := column{value: reflect.New(c.value.Type()).Elem()}
			f.set(want, v, at)
			all = all && c.value.Equal(want.value)
		})
	}
	return all
}
