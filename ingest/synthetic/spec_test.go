package synthetic

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
)

const tiny = `
trees:
  t: {pools: {a: {weight: 2}}}
nodes:
  - {name: n, count: 2, resources: {user_slots: 4, cpu: 1.25, memory: 2GiB}}
operations:
  - {name: o, at: 10s, tasks: [{jobs: [1, 2], seconds: [5, 0]}]}
`

func TestADescriptionHasDefaults(t *testing.T) {
	s, err := Parse("f", []byte(tiny))
	if err != nil {
		t.Fatal(err)
	}
	if s.DefaultTree != "t" || s.FairShareUpdatePeriod != Duration(core.Second) || s.Operations[0].Trees[0] != "t" {
		t.Errorf("%+v", s)
	}
	job := s.Operations[0].Tasks[0].Resources.vector()
	if want := (resource.Vector{resource.UserSlots: 1, resource.CPU: resource.CentsPerCore}); job != want {
		t.Errorf("a job takes %v, want %v", job, want)
	}
	node := s.Nodes[0].Resources.vector()
	if want := (resource.Vector{resource.UserSlots: 4, resource.CPU: 125, resource.Memory: 2 << 30}); node != want {
		t.Errorf("a node has %v, want %v", node, want)
	}
}

func TestAWrongDescriptionIsAnErrorThatSaysWhere(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"unknown key", "cpu: 1.25", "cores: 1.25", "5"},
		{"unknown pool option", "weight: 2", "wieght: 2", "f:3: a pool has no option"},
		{"no duration", "at: 10s", "at: soon", "invalid duration"},
		{"no bytes", "2GiB", "many", "invalid size"},
		{"no trees", "trees:", "treez:", "treez"},
		{"no tasks", "tasks: [{jobs: [1, 2], seconds: [5, 0]}]", "type: map", "operation o has no tasks"},
		{"most below least", "[1, 2]", "[3, 2]", "must be [least, most]"},
		{"no time to run", "seconds: [5, 0]", "seconds: [0, 0]", "must be [median, spread]"},
		{"unknown tree", "at: 10s", "at: 10s, trees: [u]", `unknown tree "u"`},
		{"a bad filter", "at: 10s", "at: 10s, scheduling_tag_filter: '('", "scheduling_tag_filter"},
		{"nodes of no group", "count: 2", "count: 0", "needs a name and a count"},
		{"a change of nothing", "\noperations:", "\nchanges: [{at: 1s, operation: p}]\noperations:", `no operation is named "p"`},
		{"arrivals below zero", "\noperations:", "\nworkloads:\n  - {name: w, users: [u], arrivals: {per_hour: -1}, tasks: [{jobs: [1, 1], seconds: [5, 0]}]}\noperations:", "f:7: workload w: arrivals per_hour: -1"},
		{"no probability", "at: 10s", "at: 10s, job_failures: 7", "f:7: operation o: job_failures: invalid probability 7"},
		{"a count of users that is none", "\noperations:", "\nworkloads:\n  - {name: w, users: [u*3x], arrivals: {per_hour: 1}, tasks: [{jobs: [1, 1], seconds: [5, 0]}]}\noperations:", `workload w: users "u*3x": write analyst*3`},
		{"two documents", "\noperations:", "\n---\noperations:", "f:7: a second document begins here"},
		{"unknown type", "at: 10s", "at: 10s, type: mapreduce", `type "mapreduce" is unknown: did you mean map_reduce?`},
		{"too late an operation", "at: 10s", "at: 10m", "f:7: operation o: at: 10m0s is not within the length of 10m0s"},
		{"a job too large", "seconds: [5, 0]", "resources: {cpu: 2}, seconds: [5, 0]", "f:7: operation o: a job of task 0 fits no node"},
		{"nodes by no filter", "t: {", "t: {nodes_filter: gpu, ", "tree t: its nodes_filter matches the tags of no node"},
		{"two groups of a name", "\noperations:", "\n  - {name: n, count: 1, resources: {cpu: 1}}\noperations:", `f:6: nodes "n": another group has this name`},
		{"a change of no node", "\noperations:", "\nchanges:\n  - {at: 2s, tree: t, pool: a, set: {weight: 3}}\n  - {at: 1s, node: n-2, online: false}\noperations:", `f:8: a change at 1s: unknown node "n-2"`},
		{"a change of no pool", "\noperations:", "\nchanges: [{at: 1s, tree: t, pool: b, set: {weight: 3}}]\noperations:", `f:6: a change at 1s: tree t has no pool "b"`},
		{"too late a change", "\noperations:", "\nchanges: [{at: 1h, tree: t, pool: a, set: {weight: 3}}]\noperations:", "not within the length"},
		{"an unknown event", "\noperations:", "\nchanges: [{at: 1s, operation: o, event: halted}]\noperations:", `event "halted" is unknown`},
		{"an unknown process", "\noperations:", "\nchanges: [{at: 1s, process: rebooted}]\noperations:", `process "rebooted" is unknown`},
		{"snapshots between updates", "\noperations:", "\nsnapshot_period: 1500ms\noperations:", "snapshot_period must be a multiple"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(tiny, c.from, c.to, 1)
			if text == tiny {
				t.Fatal("nothing is replaced")
			}
			_, err := Parse("f", []byte(text))
			var bad interface{ BadInput() bool }
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestEveryPresetIsWellFormed(t *testing.T) {
	for _, name := range slices.Concat(Presets, Incidents) {
		s, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDraft(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d operations, %d nodes, %d pools in %d trees", name, len(d.operations), len(d.nodes), len(d.pools), len(d.trees))
		if len(d.strays) != 0 {
			t.Errorf("%s: nodes serve no tree or several: %+v", name, d.strays[0])
		}
		if name == "large" && len(d.nodes) != 20_000 || name == "day" && (len(d.nodes) != 1000 || len(d.trees) != 3) {
			t.Errorf("%s has %d nodes in %d trees", name, len(d.nodes), len(d.trees))
		}
	}
}

// The example of the README names every key and works.
func TestTheExampleWorks(t *testing.T) {
	text := string(read(t, "README.md"))
	_, example, _ := strings.Cut(text, "```yaml\n")
	example, _, _ = strings.Cut(example, "```\n")
	s, err := Parse("README.md", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if _, summary := generate(t, Options{Spec: s, Seed: 1}); summary.Jobs == 0 {
		t.Error("nothing happens in it")
	}
	for _, key := range keysOf(reflect.TypeFor[Spec]()) {
		if !regexp.MustCompile(`\b` + key + `:`).MatchString(example) {
			t.Errorf("the example lacks the key %s", key)
		}
	}
}

// TestIncidentsDoNotTellTheirCause: the name of the cluster stands in every answer, and who is to find
// the cause must not read it there. No two incidents are of one cluster.
func TestIncidentsDoNotTellTheirCause(t *testing.T) {
	of := map[string]string{}
	for _, name := range Incidents {
		s, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Split(name, "-") {
			if strings.Contains(s.Cluster, word) {
				t.Errorf("cluster %s tells of %s", s.Cluster, name)
			}
		}
		if other, twice := of[s.Cluster]; twice {
			t.Errorf("%s and %s are both of cluster %s", name, other, s.Cluster)
		}
		of[s.Cluster] = name
	}
}
