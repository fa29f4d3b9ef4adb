package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// logWithSpecs has operations 3, 4, ... with the specs given.
func logWithSpecs(t *testing.T, specs ...string) *log {
	l := newLog(t, trace.Options{})
	for i, spec := range specs {
		row := trace.Operation{Op: core.OperationID(3 + i), ID: fmt.Sprint("spec", i), Type: "vanilla", User: "u", SpecJSON: core.Some(spec)}
		l.check(l.w.Add(&row))
	}
	return l
}

// What an operation asks for stands beside what it got; what the row of its start
// leaves open its spec fills, by the options of this tree.
func TestASpecReachesTheStart(t *testing.T) {
	l := logWithSpecs(t, `{"pool": "asked", "weight": 2, "max_share_ratio": 0.5, "is_gang": true, "pool_trees": ["t", "u"],
		"scheduling_options_per_pool_tree": {"t": {"pool": "here", "scheduling_tag_filter": "fast"}, "u": {"weight": 9}}}`)
	step := func(s float64, op core.OperationID, event string, weight core.Optional[float64]) {
		l.check(l.tree.Add(&trace.OpEvent{Stamp: l.at(s), Op: op, Event: event, Pool: core.Some[core.PoolID](0), Weight: weight}))
	}
	step(1, 3, "started", core.Some(7.0))
	step(2, 3, "materialized", core.Optional[float64]{})
	step(3, 0, "started", core.Optional[float64]{})
	step(4, 3, "rejected", core.Optional[float64]{})
	tr := l.open()
	var got []string
	for e, err := range tr.Events("t", Options{}) {
		l.check(err)
		line := fmt.Sprint(e.Step)
		if s := e.Spec; s != nil {
			line += fmt.Sprint(" asks ", s.Pool, s.Trees.PoolTrees.Value, " type ", s.Trees.Type, " ", s.Weight.Value)
		}
		if p := e.Params; p != nil {
			line += fmt.Sprint(" has ", p.Weight.Value, p.MaxShareRatio.Value, p.Gang.Value, " ", p.TagFilter)
		}
		got = append(got, line)
	}
	want := []string{"1 asks here[t u] type vanilla 2 has 7 0.5 true fast", "2", "1", "9 asks here[t u] type vanilla 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if tr.Spec(0) != nil || tr.Spec(3) == nil {
		t.Error("an operation has the spec of another")
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// What a tree is to an operation its row says, or else its spec; a tree that neither the
// spec asks for nor the cluster gives to those that ask for none came by offloading.
func TestTheRoleOfATree(t *testing.T) {
	l := logWithSpecs(t,
		`{"pool_trees": ["t"]}`, `{"pool_trees": ["u"], "tentative_pool_trees": ["t"]}`, `{"pool_trees": ["u"], "probing_pool_tree": "t"}`,
		`{"pool_trees": ["u"]}`, `{}`, `{"pool_trees": ["u"], "use_default_tentative_pool_trees": true}`, `{"pool_trees": ["u"]}`,
		`{}`, `{"use_default_tentative_pool_trees": true}`, `{}`, `{}`, `{}`)
	for i, tree := range []string{"t", "u"} {
		l.check(l.w.Add(&trace.ClusterConfig{Stamp: l.at(float64(7 + i)), DefaultTree: core.Some(tree), Trees: "t, u"}))
	}
	for i := range 12 {
		row := trace.OpEvent{Stamp: l.at(float64(i)), Op: core.OperationID(3 + i), Event: "started"}
		switch i {
		case 6:
			row.Tentative = core.Some(true)
		case 10: // says nothing of the others
			row.Tentative = core.Some(false)
		case 11:
			row.Offloading = core.Some(false)
		}
		l.check(l.tree.Add(&row))
	}
	var got []core.Role
	for e, err := range l.open().Events("t", Options{}) {
		l.check(err)
		if e.Kind == core.OperationChanged {
			got = append(got, e.Role)
		}
	}
	want := []core.Role{core.RoleRegular, core.RoleTentative, core.RoleProbing, core.RoleOffloading, core.RoleUnknown, core.RoleUnknown, core.RoleTentative,
		core.RoleRegular, core.RoleUnknown, core.RoleOffloading, core.RoleOffloading, core.RoleRegular}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A spec that cannot be read is a problem of its row, and the operation has none.
func TestWhatIsWrongInASpecIsAProblem(t *testing.T) {
	l := logWithSpecs(t, `{"pool": `, `{"pool": "p", "weight": "heavy"}`, `{"pool": "p", "weight": "heavy", "title": "again"}`, `{}`)
	tr := l.open()
	heavy := `weight: the value has the wrong type (want a number, got "heavy")`
	want := []Problem{
		{"dim/operations.parquet", 3, "spec_json", badSpec, "it is not JSON: unexpected end of JSON input"},
		{"dim/operations.parquet", 4, "spec_json", badSpec, heavy},
		{"dim/operations.parquet", 5, "spec_json", badSpec, heavy},
	}
	if diff := cmp.Diff(want, tr.Problems()); diff != "" {
		t.Error(diff)
	}
	if tr.Spec(3) != nil || tr.Spec(4) == nil || tr.Spec(4) != tr.Spec(5) || tr.Spec(6) == nil {
		t.Error("a spec is missing, or is not shared")
	}
}

// TestLargeSpecs: more rows than are read at a time, with specs of which little
// matters.
func TestLargeSpecs(t *testing.T) {
	specs := make([]string, dimensionRows+10)
	for i := range specs {
		specs[i] = fmt.Sprintf(`{"pool": "p%d", "command": %q}`, i, strings.Repeat("x", 4096))
	}
	tr := logWithSpecs(t, specs...).open()
	for i := range specs {
		if c, _ := tr.Spec(core.OperationID(3+i)).In(core.Documented, "t"); c.Pool != fmt.Sprint("p", i) {
			t.Fatalf("operation %d asks for %q", i, c.Pool)
		}
	}
}
