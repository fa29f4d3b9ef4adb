package synthetic

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"poolproof/core/coretest"
	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// unused is what preset day does not switch on, and why.
var unused = map[string]string{
	"TreeConfig.Assumed":                  "a description states its configuration",
	"TreeConfig.PoolsAssumed":             "likewise",
	"TreeConfig.Dated":                    "likewise",
	"TreeConfig.Learned":                  "records of the scheduler say so",
	"TreeConfig.UseUserParents":           "whose parent is which stands in a map outside of every trace",
	"TreeConfig.ThresholdExplicitlyNull":  "it is illegal",
	"TreeConfig.GPUPolicy":                "the classic policy decides",
	"TreeConfig.GPUMode":                  "likewise",
	"TreeConfig.AccumulatedPeriod":        "the generated scheduler reports no volumes",
	"TreeConfig.InfiniteOvercommit":       "the decisions of a day exceed no limit",
	"PoolConfig.Overcommit":               "likewise",
	"TreeConfig.StepFunctionForGangs":     "schedulers of other profiles ignore it",
	"TreeConfig.SingleJobGangs":           "likewise",
	"PoolConfig.StepFunctionForGangs":     "likewise",
	"PoolConfig.PriorityGuarantee":        "likewise",
	"PoolConfig.GuaranteeDonor":           "likewise",
	"PoolConfig.PriorityModules":          "it is not modelled",
	"UnmodelledSwitches.ImprovedShares":   "it is not modelled",
	"UnmodelledSwitches.WholeJobShares":   "likewise",
	"UnmodelledSwitches.FIFOReordering":   "likewise",
	"UnmodelledSwitches.FullHost":         "likewise",
	"UnmodelledSwitches.BoundPreemptible": "likewise",
	"PoolConfig.Listed":                   "the core sets it where a version is dated",
	"Segments.ResetIdle":                  "an operation keeps its module here; core/testdata has those that lose it",
	"Segments.Reserve":                    "with a reserve no log tells which segment wants nodes, and SEG-03 would have nothing to judge",
}

// TestDayUsesEverything: what a description can say, preset day says somewhere, so
// that a day on which nothing is planted tries it all. Of the trees what the core
// reads of their options counts, changes included, and is legal in every profile.
func TestDayUsesEverything(t *testing.T) {
	for _, profile := range []pooltree.Profile{pooltree.Documented, pooltree.Baseline, pooltree.Current, pooltree.Legacy} {
		t.Run(profile.String(), func(t *testing.T) { dayUsesEverything(t, profile) })
	}
}

func dayUsesEverything(t *testing.T, profile pooltree.Profile) {
	spec := preset(t, "day", 600*minute)
	known, used := coretest.Features{}, coretest.Features{}
	known.Add(reflect.TypeFor[Spec]())
	known.Add(reflect.TypeFor[pooltree.TreeConfig]())
	known.Add(reflect.TypeFor[pooltree.PoolConfig]())
	used.Use(reflect.ValueOf(*spec))
	d, err := newDraft(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.trees {
		for _, r := range d.trees[i].rows {
			switch row := r.data.(type) {
			case *trace.TreeConfig:
				attributes, _ := poolconf.TreeAttributes(row)
				c, errs := pooltree.ParseTree(profile, attributes)
				for _, err := range errs {
					t.Errorf("tree %s: %v", d.trees[i].name, err)
				}
				used.Use(reflect.ValueOf(c))
			case *trace.PoolConfig:
				attributes, _ := poolconf.PoolAttributes(row)
				c, errs := pooltree.ParsePool(profile, attributes)
				for _, err := range errs {
					t.Errorf("pool %s: %v", d.pools[row.Pool].Name, err)
				}
				used.Use(reflect.ValueOf(c))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		switch why, excepted := unused[name]; {
		case !used[name] && !excepted:
			t.Errorf("nothing of preset day uses %s", name)
		case used[name] && excepted:
			t.Errorf("preset day uses %s: take it off the list of what it does not (%s)", name, why)
		}
	}
	for name := range unused {
		if !known[name] {
			t.Errorf("there is no %s that preset day could use", name)
		}
	}
}

// TestDayUsesEveryWord is the same of the words that keys have as values.
func TestDayUsesEveryWord(t *testing.T) {
	spec := preset(t, "day", 600*minute)
	used := map[string]bool{}
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		used[w.Type], used[w.Arrivals.Day], used[w.PreemptionMode] = true, true, true
	}
	for i := range spec.Operations {
		used[spec.Operations[i].Type] = true
	}
	for i := range spec.Changes {
		c := &spec.Changes[i]
		used[c.Event], used[c.Process] = true, true
		if c.Online != nil {
			used["online"] = used["online"] || *c.Online
			used["offline"] = used["offline"] || !*c.Online
		}
	}
	words := slices.Concat(operationTypes, operationEvents, processEvents, slices.Sorted(maps.Keys(days)),
		[]string{"normal", "graceful", "online", "offline"})
	for _, word := range words {
		if !used[word] {
			t.Errorf("nothing of preset day is %q", word)
		}
	}
}
