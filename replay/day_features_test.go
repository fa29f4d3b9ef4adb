package replay_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
)

// off is what no day with everything on uses, and why.
var off = map[string]string{
	"PoolConfig.Listed":                   "the core sets it where a version is dated",
	"PoolConfig.Overcommit":               "the decisions of a day exceed no limit",
	"OperationSettings.SeveralJobs":       "every job has an allocation of its own",
	"TreeConfig.GPUPolicy":                "the classic policy decides",
	"TreeConfig.GPUMode":                  "likewise",
	"TreeConfig.AccumulatedPeriod":        "no day of these tests reports volumes",
	"TreeConfig.InfiniteOvercommit":       "likewise",
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
	"TreeConfig.Assumed":                  "the configuration is recorded",
	"TreeConfig.PoolsAssumed":             "likewise",
	"TreeConfig.Dated":                    "likewise",
	"PoolConfig.Dated":                    "likewise",
	"TreeConfig.Learned":                  "records of the scheduler say so",
	"TreeConfig.ThresholdExplicitlyNull":  "it is illegal",
	"TreeConfig.NodesFilter":              "what concerns several trees the preset day has",
	"TreeConfig.NonTentativeTypes":        "likewise",
	"TreeConfig.SaturationDeactivation":   "likewise",
	"PoolConfig.Offloading":               "likewise",
	"Offload.Tree":                        "likewise",
	"Offload.Pool":                        "likewise",
	"TreeConfig.DefaultParentPool":        "every operation names its pool; the preset day has some that do not",
	"TreeConfig.UseUserParents":           "likewise",
	"TreeConfig.Presets":                  "effective values are read from pools; the preset day has them",
	"Preset.Name":                         "likewise",
	"Preset.Config":                       "likewise",
	"PoolConfig.Presets":                  "likewise",
	"PoolConfig.Owner":                    "no decision depends on it",
	"PoolConfig.Metering":                 "likewise",
	"PoolConfig.Ephemeral":                "whether a pool was made for a user is for the core to know",
	"PoolConfig.Deleted":                  "that is an event",
	"OperationParams.RequestsSSD":         "its media say it",
	"Media.Kinds":                         "who asks for media with each kind of jobs only some logs tell",
}

// TestEverythingIsOn: what a configuration of a tree or a pool, or the parameters of an
// operation, can say some day with everything on says in every profile.
func TestEverythingIsOn(t *testing.T) {
	known := coretest.Features{}
	known.Add(reflect.TypeFor[core.TreeConfig]())
	known.Add(reflect.TypeFor[core.PoolConfig]())
	known.Add(reflect.TypeFor[core.OperationParams]())
	for name, profile := range profiles {
		t.Run(name, func(t *testing.T) {
			used := coretest.Features{}
			for seed := range uint64(daySeeds) {
				if !everythingIsOn(seed) {
					continue
				}
				d := newDay(profile, seed)
				d.everything()
				used.Use(reflect.ValueOf(d.config))
				used.Use(reflect.ValueOf(d.pools))
				for i := range d.work {
					used.Use(reflect.ValueOf(d.work[i].params))
				}
			}
			for _, feature := range slices.Sorted(maps.Keys(known)) {
				switch why, excepted := off[feature]; {
				case !used[feature] && !excepted:
					t.Errorf("no day uses %s", feature)
				case used[feature] && excepted:
					t.Errorf("some day uses %s: take it off the list of what is off (%s)", feature, why)
				}
			}
		})
	}
	for feature := range off {
		if !known[feature] {
			t.Errorf("there is no %s that a day could use", feature)
		}
	}
}
