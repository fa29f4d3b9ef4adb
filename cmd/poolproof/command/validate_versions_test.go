package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest"
	"poolproof/ingest/trace"
)

// A history is a trace of configurations alone. Pools have the numbers of their
// names a, b, c and d in tree t; times are in seconds from the window's start.
type history struct {
	t *testing.T
	w *trace.Writer
	*trace.TreeWriter
	dir string
}

const epoch = core.Time(1_700_000_000_000_000)

func newHistory(t *testing.T) *history {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "trace")
	w, err := trace.Create(dir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	h := &history{t, w, w.Tree("t"), dir}
	for i, name := range []string{"a", "b", "c", "d"} {
		h.must(w.Add(&trace.Pool{Pool: core.PoolID(i), Tree: "t", Name: name}))
	}
	h.must(w.Add(&trace.Node{Node: 0, Address: "n"}))
	return h
}

func (h *history) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) at(second int) trace.Stamp {
	return trace.Stamp{Time: epoch + core.Time(second)*1_000_000, Seq: h.NextSeq()}
}

// pool writes a version of a pool, in legal form but for what set does.
func (h *history) pool(second int, pool, parent string, set func(*trace.PoolConfig)) {
	h.t.Helper()
	row := trace.PoolConfig{Stamp: h.at(second), Pool: core.PoolID(pool[0] - 'a'), Mode: "fair_share", IntegralType: "none"}
	if parent != "" {
		row.Parent = core.Some(core.PoolID(parent[0] - 'a'))
	}
	if set != nil {
		set(&row)
	}
	h.must(h.Add(&row))
}

func (h *history) node(second int, cpuMilli int64, online bool) {
	h.t.Helper()
	h.must(h.Add(&trace.NodeState{Stamp: h.at(second), Online: online, Limit: trace.Resources{CPUMilli: cpuMilli}}))
}

// twoTrees begins with tree t of the nodes with tag x, and tree u of those with y.
func (h *history) twoTrees() {
	h.t.Helper()
	u := h.w.Tree("u")
	for t, filter := range map[*trace.TreeWriter]string{h.TreeWriter: "x", u: "y"} {
		h.must(t.Add(&trace.TreeConfig{Stamp: trace.Stamp{Time: epoch, Seq: t.NextSeq()}, Source: "export", NodesFilter: core.Some(filter)}))
	}
}

// templates writes a version of the settings above all trees.
func (h *history) templates(second int, text string) {
	h.t.Helper()
	stamp := trace.Stamp{Time: epoch + core.Time(second)*core.Second, Seq: int64(second)}
	h.must(h.w.Add(&trace.ClusterConfig{Stamp: stamp, Trees: "t", ConfigJSON: `{"template_pool_tree_config_map": ` + text + `}`}))
}

func (h *history) tags(second int, tags string) {
	h.t.Helper()
	h.must(h.Add(&trace.NodeState{Stamp: h.at(second), Online: true, Tags: tags}))
}

// spots commits the trace and judges its configuration.
func (h *history) spots(p pooltree.Profile) []string {
	h.t.Helper()
	h.must(h.w.Commit(trace.Manifest{
		Window:    trace.Window{From: epoch, To: epoch + 100_000_000},
		Resources: []trace.Resource{{Name: "cpu", Capacity: "recorded"}, {Name: "memory", Capacity: "unknown"}},
	}))
	t, err := ingest.Open(h.dir)
	h.must(err)
	found, err := judgeTrace(context.Background(), t, h.dir, t.Trees(), t.Window().To, p)
	h.must(err)
	var list []string
	second := func(s string) string {
		if s == "" {
			return ""
		}
		at, err := parseTime("", s)
		h.must(err)
		return fmt.Sprint((at - epoch) / 1_000_000)
	}
	for _, s := range found.List {
		refused := ""
		if s.Refused {
			refused = " refused"
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s..%s %s %s %s%s", second(s.From), second(s.Until), s.Rule, s.Pool, s.Found, refused)))
	}
	return list
}

func strong(milli int64) func(*trace.PoolConfig) {
	return func(r *trace.PoolConfig) { r.Strong.CPUMilli = core.Some(milli) }
}

func TestVersionsOfAConfiguration(t *testing.T) {
	for _, c := range []struct {
		name    string
		profile pooltree.Profile
		write   func(h *history)
		want    []string
	}{
		{name: "legal from the first to the last", write: func(h *history) {
			h.pool(0, "a", "", strong(2000))
			h.pool(0, "b", "a", strong(2000))
			h.pool(5, "b", "a", func(r *trace.PoolConfig) { r.Deleted = true })
			h.pool(6, "c", "a", strong(2000))
		}},
		{name: "a set is judged whole, and told once until it is mended", write: func(h *history) {
			h.pool(0, "a", "", strong(2000))
			h.pool(0, "b", "a", strong(1000))
			h.pool(3, "c", "a", strong(1500))
			h.pool(4, "d", "", nil)
			h.pool(9, "b", "a", strong(500))
		}, want: []string{"3..9 guarantee_sum a cpu: 2.5 of 2"}},
		{name: "what is moved at one instant is one set", write: func(h *history) {
			h.pool(0, "a", "", strong(2000))
			h.pool(0, "b", "a", strong(2000))
			h.pool(5, "c", "a", strong(2000))
			h.pool(5, "b", "a", strong(0))
		}},
		{name: "what the scheduler refuses", write: func(h *history) {
			h.pool(0, "a", "", func(r *trace.PoolConfig) { r.Mode = "fifo" })
			h.pool(2, "b", "a", nil)
			h.pool(7, "a", "", nil)
		}, want: []string{"2..7 fifo_with_children b its parent a is one refused"}},
		{name: "a removed pool takes its subtree along", write: func(h *history) {
			h.pool(0, "a", "", strong(2000))
			h.pool(0, "b", "a", strong(1000))
			h.pool(0, "c", "b", func(r *trace.PoolConfig) { r.MaxShareRatio = core.Some(2.0) })
			h.pool(3, "b", "a", func(r *trace.PoolConfig) { r.Deleted = true })
			h.pool(5, "d", "a", strong(2000))
		}, want: []string{"0..3 out_of_range c want a number in [0, 1], got 2 refused"}},
		{name: "ephemeral pools have no configuration", write: func(h *history) {
			h.pool(0, "a", "", func(r *trace.PoolConfig) { r.Mode = "fifo" })
			h.pool(1, "b", "a", func(r *trace.PoolConfig) { r.Ephemeral = true })
		}},
		{name: "options of the tree, their units and config_json", profile: pooltree.Baseline, write: func(h *history) {
			h.must(h.Add(&trace.TreeConfig{Stamp: h.at(0), Source: "export", PreemptTimeoutMS: core.Some[int64](20_000), DefaultParentPool: core.Some("a"),
				ConfigJSON: `{"waiting_job_timeout": 15000, "pool_config_presets": {"p": {"min_share_preemption_timeout": 1}}}`}))
			h.must(h.Add(&trace.TreeConfig{Stamp: h.at(5), Source: "export", FairShareStarvationTimeoutMS: core.Some[int64](120_001)}))
			h.pool(5, "a", "", func(r *trace.PoolConfig) { r.ConfigJSON = `{"config_preset": "p"}` })
		}, want: []string{"0..5 waiting_timeout  15000 ms below 20000 ms", "0..5 no_default_parent  a", "0..5 ignored_option  min_share_preemption_timeout in preset p",
			"5.. timeout_order  120000 ms below 120001 ms refused", "5.. unknown_preset a p refused"}},
		{name: "templates are part of what is judged", write: func(h *history) {
			h.must(h.Add(&trace.TreeConfig{Stamp: h.at(0), Source: "export", FairShareStarvationTimeoutMS: core.Some[int64](1000)}))
			h.pool(0, "a", "", func(r *trace.PoolConfig) { r.ConfigJSON = `{"config_preset": "p"}` })
			h.templates(0, `{"all": {"priority": 1, "config": {"pool_config_presets": {"p": {"allow_aggressive_preemption": false}}}}}`)
			h.templates(4, `{"all": {"priority": 1, "config": {"pool_config_presets": {"p": {}}, "fair_share_aggressive_starvation_timeout": 500}}}`)
			h.templates(8, `{"other": {"priority": 1, "filter": "u", "config": {"pool_config_presets": {"p": {}}}}}`)
		}, want: []string{"4..8 timeout_order  500 ms below 1000 ms refused", "8.. unknown_preset a p refused"}},
		{name: "guarantees above the most that was there", write: func(h *history) {
			h.node(0, 4000, true)
			h.pool(1, "a", "", strong(4000))
			h.node(2, 4000, false)
			h.pool(3, "b", "", strong(1000))
			h.node(4, 6000, true)
			h.pool(5, "a", "", strong(5000))
			h.pool(6, "c", "", strong(2000))
			h.node(7, 1000, true)
			h.pool(8, "d", "", func(r *trace.PoolConfig) {
				r.Strong.CPUMilli, r.Strong.Memory = core.Some[int64](0), core.Some[int64](1<<40)
			})
		}, want: []string{"6..8 guarantee_above_total  cpu: 8 of 6", "8.. guarantee_above_total  cpu: 8 of 1"}},
		{name: "a default tree that is gone for a while", write: func(h *history) {
			for i, c := range []struct{ tree, trees string }{{"t", "s,t"}, {"t", "s"}, {"t", "s, u"}, {"u", "s, u"}, {"", "s"}, {"t", "u"}, {"x", "u"}, {"y", ""}} {
				h.must(h.w.Add(&trace.ClusterConfig{Stamp: h.at(i), DefaultTree: core.Optional[string]{Value: c.tree, Set: c.tree != ""}, Trees: c.trees}))
			}
		}, want: []string{"1..3 no_default_tree  t refused", "5..6 no_default_tree  t refused", "6.. no_default_tree  x refused"}},
		{name: "filters that claim a node twice are refused until its tags mend it", write: func(h *history) {
			h.twoTrees()
			h.tags(0, "y")
			h.must(h.Add(&trace.TreeConfig{Stamp: h.at(10), Source: "event", NodesFilter: core.Some("x | y")}))
			h.tags(50, "z")
		}, want: []string{"10..50 overlapping_filters  n matches t and u refused"}},
		{name: "tags that two trees claim, unless it is only for as long as they travel", write: func(h *history) {
			h.twoTrees()
			h.tags(0, "x")
			h.tags(10, "x,y")
			h.tags(31, "y")
			h.tags(40, "x,y")
			h.tags(62, "x")
			h.tags(70, "x,y")
		}, want: []string{"40..62 overlapping_filters  n matches t and u", "70.. overlapping_filters  n matches t and u"}},
		{name: "what begins after the window", write: func(h *history) {
			h.pool(200, "a", "", func(r *trace.PoolConfig) { r.Weight = core.Some(-1.0) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHistory(t)
			c.write(h)
			if diff := cmp.Diff(c.want, h.spots(c.profile)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
