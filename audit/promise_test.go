package audit

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// cores is a partial amount of cpu.
func cores(n int64) core.Optional[resource.Partial] { return amounts(resource.CPU, n*100) }

func amounts(k resource.Kind, n int64) core.Optional[resource.Partial] {
	var p resource.Partial
	p.Set[k], p.Amounts[k] = true, n
	return core.Some(p)
}

// pools writes the pools of a tree whose nodes have 100 cores and 1000 bytes.
func (r *testRun) pools(tree string, pools ...tables.Pool) {
	put(r, tree, tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(86400), Total: resource.Vector{resource.CPU: 10_000, resource.Memory: 1000}, Updates: 10})
	for i := range pools {
		if pools[i].Path == "" {
			pools[i].Path = testDimensions.Pools[pools[i].Pool].Name
		}
		if !strings.Contains(pools[i].Path, "/") {
			pools[i].Parent = core.RootPool
		}
		pools[i].Configured = true
	}
	put(r, tree, pools...)
	var versions []tables.PoolVersion
	for _, p := range pools {
		versions = append(versions, tables.PoolVersion{Pool: p, FromTime: at(0), ToTime: at(86400)})
	}
	put(r, tree, versions...)
}

// spanned gives a span to those that have none.
func spanned(spans []tables.PoolInterval) []tables.PoolInterval {
	for i := range spans {
		if spans[i].ToTime == 0 {
			spans[i].FromTime, spans[i].ToTime = at(0), at(100)
		}
	}
	return spans
}

// faulty is a fault of the configuration in force, all day.
func faulty(rule pooltree.Rule, pool, option, detail string) tables.ConfigurationFault {
	return tables.ConfigurationFault{Rule: string(rule), Pool: pool, Option: option, Detail: detail, Meaning: rule.Meaning(), FromTime: at(0), ToTime: at(86400)}
}

// busy is a span in which a pool demanded a part of the tree's cpu, with an equal
// guarantee share and limits that leave it a part.
func busy(pool core.PoolID, demand, guarantee, limits float64) tables.PoolInterval {
	i := tables.PoolInterval{Pool: pool, Interval: tables.Interval{FromTime: at(0), ToTime: at(100), DemandRatio: demand, DemandRatioMax: demand, MinShareRatio: guarantee}}
	i.DemandShare[resource.CPU], i.StrongShare[resource.CPU] = demand, guarantee
	i.Demand[resource.CPU] = int64(demand * 10_000)
	i.LimitsShare = resource.Share{1, limits, 1, 1, 1}
	return i
}

// tally counts records of a pool in which a rule held, in the first minutes.
func tally(invariant string, pool core.PoolID, ok int64) tables.SnapshotTally {
	return tables.SnapshotTally{Invariant: invariant, Element: tables.ElementPool, Pool: pool, FromTime: at(0), ToTime: at(100), OK: ok}
}

// grades are the promises of a tree, one line each.
func (v *Verdict) grades(tree string) string {
	var lines []string
	for _, p := range v.Promises {
		if p.Tree == tree {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", p.Kind, p.Path, p.Grade, strings.TrimSuffix(p.Reason+" "+p.Missing, " ")))
		}
	}
	return strings.Join(lines, "\n")
}

const tested = "kept: Tested and not broken."

// TestPromisesOfGPUsAreCountedWhole: where the source counts GPUs in thousandths, what is
// promised is told in GPUs.
func TestPromisesOfGPUsAreCountedWhole(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole("unit.gpu", "milli_gpu"))
	r.pools("a",
		tables.Pool{Pool: 0, StrongGuarantee: amounts(resource.GPU, 1500), ResourceLimits: amounts(resource.GPU, 4000)},
		tables.Pool{Pool: 1, IntegralType: pooltree.Burst, Flow: amounts(resource.GPU, 500), Burst: amounts(resource.GPU, 2000)})
	r.makeDatabase()
	want := "Pool batch gets 2 GPUs when it demands them, while the volume lasts that a flow of 0.5 GPUs gathers.|Pool prod gets 1.5 GPUs when it demands them.|Pool prod never uses more than 4 GPUs."
	if got := r.query("SELECT string_agg(statement, '|' ORDER BY statement) FROM promises"); strings.Trim(got, `"`) != want {
		t.Error(got)
	}
}

// check compares grades with what is wanted of each line, which may be its start.
func (r *testRun) check(v *Verdict, want map[string]string) {
	r.t.Helper()
	for tree, lines := range want {
		got := strings.Split(v.grades(tree), "\n")
		wanted := strings.Split(lines, "\n")
		// The worst grade comes first; the lines here are in the order of paths.
		for _, w := range wanted {
			found := w == ""
			for _, g := range got {
				found = found || w != "" && strings.HasPrefix(g, w)
			}
			if !found || len(got) != len(wanted) || lines == "" && got[0] != "" {
				r.t.Errorf("tree %s: got\n%s\nwant\n%s", tree, strings.Join(got, "\n"), lines)
				break
			}
		}
	}
}

func TestNodesOfATreeAreGraded(t *testing.T) {
	t.Parallel()
	configured := func(r *testRun, tree string, nodes, beside int64) {
		r.addTree(tree, whole())
		put(r, tree, tables.Coverage{Aspect: "other_trees", State: "no_filters", Seen: beside})
		put(r, tree, tables.Tree{Profile: "documented", Configured: true, FromTime: at(0), ToTime: at(86400), Nodes: nodes})
		put(r, tree, tables.Node{Node: 0, FromTime: at(0), ToTime: at(100)})
	}
	r := newTestRun(t)
	configured(r, "a", 1, 0)
	r.check(r.graded(judging(t)...), map[string]string{"a": "nodes_filter  vacuous: Nothing tested it: the log has no other tree."})
	r = newTestRun(t)
	configured(r, "a", 1, 2)
	configured(r, "b", 1, 2)
	configured(r, "c", 0, 2)
	put(r, "a", tables.SharedNode{Node: 0, By: "presence", FromTime: at(0), ToTime: at(100), Others: "c", Online: true})
	put(r, "b", tables.Node{Node: 1, FromTime: at(0), ToTime: at(100)})
	put(r, "c", tables.SharedNode{Node: 0, By: "presence", FromTime: at(0), ToTime: at(100), Others: "a", Online: true})
	r.check(r.graded(judging(t)...), map[string]string{"a": "nodes_filter  broken", "b": "nodes_filter  " + tested, "c": "nodes_filter  broken"})
}

func TestKindsWithoutAnAudit(t *testing.T) {
	t.Parallel()
	term := promiseTerm{Promise: Promise{Kind: "x"}}
	if term.grade(nil, nil, nil, nil); term.Grade != Unverifiable || !strings.HasPrefix(term.Missing, "No audit judges promises of its kind") {
		t.Errorf("%+v", term.Promise)
	}
	failed := &Outcome{Audit: &Audit{ID: "x"}, Verdict: Failed}
	if term.grade(nil, []look{{Outcome: failed}}, nil, nil); term.Grade != Unverifiable || term.Missing != "Audit x failed." {
		t.Errorf("%+v", term.Promise)
	}
}

// A guarantee says how late it may be given: as the policy has it, of a pool with an SLA as
// that has it, with its hours.
func TestAGuaranteeSaysItsTolerance(t *testing.T) {
	t.Parallel()
	policy := readPolicy(t, "slas:\n- {pool: corp/**, days: mon-fri, hours: 08:00-20:00, bounds: {strong_guarantee_unmet: {sla_s: 90}}}\n")
	b := tolerances{map[string]float64{"strong_guarantee_unmet.sla_s": 300}, policy}
	for _, c := range []struct {
		kind, path, want string
		seconds          float64
	}{
		{"strong_guarantee", "batch", "It gets 1 core within 5 minutes of demanding it.", 300},
		{"strong_guarantee", "corp/prod", "It gets 1 core within 90 s of demanding it (mon-fri 08:00-20:00 UTC).", 90},
		{"burst_guarantee", "corp/prod", "It gets 1 core when it demands it.", 0},
	} {
		term := promiseTerm{Promise: Promise{Kind: c.kind, Path: c.path, Statement: "It gets 1 core within {sla} of demanding it."}}
		if got, allowed := b.fill(&term); got != c.want || (allowed != nil) != (c.seconds > 0) || allowed != nil && *allowed != c.seconds {
			t.Errorf("%s of %s: %s", c.kind, c.path, got)
		}
	}
}
