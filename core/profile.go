package core

import "fmt"

// A Profile is the age and reading of the rules that judge a tree
// (spec/scheduling.md §1.1).
type Profile uint8

const (
	Documented Profile = iota // the user documentation, then baseline: the default
	Baseline                  // builds of late 2023
	Current                   // builds of 2025 and 2026
	Legacy                    // builds of 2018 to 2020
)

var profileNames = [...]string{"documented", "baseline", "current", "legacy"}

func (p Profile) String() string { return profileNames[p] }

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
	return 0, fmt.Errorf("unknown profile %q: use one of %q", name, profileNames)
}

// Default limits of operation counts, in force where the configuration of tree
// and pool is known and silent (spec/scheduling.md §3.1, §17.1).
const (
	defaultMaxOperations        = 50000
	defaultMaxRunning           = 2000
	defaultMaxOperationsPerPool = 50
)

func (p Profile) defaultMaxRunningPerPool() int64 {
	if p == Documented {
		return 8
	}
	return 50
}

// hasLightweight reports whether lightweight operations exist (§5.7).
func (p Profile) hasLightweight() bool { return p == Documented || p == Current }

func (p Profile) defaultFIFOOrder() FIFOOrder {
	if p == Documented {
		return OrderFIFO
	}
	return OrderSatisfaction
}
