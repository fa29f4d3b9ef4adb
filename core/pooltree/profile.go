package pooltree

import (
	"fmt"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/spelling"
)

// A Profile is the age and reading of the rules that judge a tree
// (core/spec/scheduling.md §1.1).
type Profile uint8

// The profiles. Whatever they differ by in this package is decided in this
// file; Deviations lists all by which Documented differs from Baseline, in other
// packages, too.
const (
	Documented Profile = iota // the user documentation, then Baseline: the default
	Baseline                  // builds of late 2023
	Current                   // builds of 2025 and 2026
	Legacy                    // builds of 2018 to 2020
)

var profileNames = [...]string{"documented", "baseline", "current", "legacy"}

func (p Profile) String() string { return profileNames[p] }

// ProfileNames are the names of the profiles, the default first.
func ProfileNames() []string { return slices.Clone(profileNames[:]) }

// ParseProfile returns the profile of the given name; the empty name is the
// default.
func ParseProfile(name string) (Profile, error) {
	if name == "" {
		return Documented, nil
	}
	for p, n := range profileNames {
		if n == name {
			return Profile(p), nil
		}
	}
	return 0, fmt.Errorf("unknown profile %q: %s", name, spelling.Meant(name, profileNames[:]))
}

// Defaults of the options, by profile (core/spec/scheduling.md §3.1, §17.1).
const (
	defaultMaxOperations        = 50000
	defaultMaxRunning           = 2000
	defaultMaxOperationsPerPool = 50
	defaultEphemeralPerUser     = 1
	defaultTolerance            = 0.8
	defaultTimeout              = Milliseconds(30_000)
	defaultAggressiveTimeout    = Milliseconds(120_000)
	defaultMinShareTimeout      = Milliseconds(15_000)
	defaultSatisfaction         = 1.0
)

// maxRunningPerPool is the default of max_running_operation_count_per_pool.
func (p Profile) maxRunningPerPool() int64 {
	if p == Documented {
		return 8
	}
	return 50
}

// InterruptTimeouts are the shortest and the longest default of job_interrupt_timeout: the builds
// of current differ.
func (p Profile) InterruptTimeouts() (least, most Milliseconds) {
	if p == Current {
		return 10_000, 30_000
	}
	return 10_000, 10_000
}

// tagTotalsDelays are the shortest and the longest default of total_resource_limits_consider_delay:
// the builds of current differ.
func (p Profile) tagTotalsDelays() (least, most Milliseconds) {
	if p == Current {
		return 60_000, 300_000
	}
	return 60_000, 60_000
}

// FIFOOrder is the default of fifo_pool_scheduling_order.
func (p Profile) FIFOOrder() FIFOOrder {
	if p == Documented {
		return OrderFIFO
	}
	return OrderSatisfaction
}

// aggressiveSatisfaction is the default of
// aggressive_preemption_satisfaction_threshold, which never exceeds the
// ordinary threshold by itself.
func (p Profile) aggressiveSatisfaction(ordinary float64) float64 {
	if p == Documented {
		return min(0.5, ordinary)
	}
	return 0.2
}

// weightRange is the closed range of a legal weight (§3.2, §17.4).
func (p Profile) weightRange() (low, high float64) {
	if p == Documented {
		return 0, maxFinite
	}
	return 1.0 / (1 << 26), 1 << 26
}

// mainResource returns the resource that strong guarantees must name (§4.3),
// and false if the tree has none. The option came with vectors of shares: builds
// of Legacy count a guarantee by its greatest ratio, whatever resource that is
// of, and their store took a guarantee of gpu alone. Where the configuration of
// such a tree names the option, its builds had it.
func (p Profile) mainResource(tree *TreeConfig) (main resource.Kind, has bool) {
	return tree.MainResource.Or(resource.CPU), p != Legacy || tree.MainResource.Set
}

// hasLightweight reports whether lightweight operations exist (§5.7, §17.5).
func (p Profile) hasLightweight() bool { return p == Current || p == Documented }

// honoursSpec reports whether an operation's spec may override the starvation
// timeouts and the tolerance (§3.3, §16, §17.2).
func (p Profile) honoursSpec() bool { return p == Legacy || p == Documented }

// listsPresets reports whether a pool may have several presets (§4.4, §15.9).
func (p Profile) listsPresets() bool { return p == Current }
