package core

import "poolproof/core/pooltree"

// A Profile is the age and reading of the rules that judge a tree (core/spec/scheduling.md §1.1).
// See pooltree/profile.go for the differences.
type Profile = pooltree.Profile

// The profiles.
const (
	Documented = pooltree.Documented // the user documentation, then baseline: the default
	Baseline   = pooltree.Baseline   // builds of late 2023
	Current    = pooltree.Current    // builds of 2025 and 2026
	Legacy     = pooltree.Legacy     // builds of 2018 to 2020
)

// ParseProfile returns the profile of the given name; the empty name is the
// default.
func ParseProfile(name string) (Profile, error) { return pooltree.ParseProfile(name) }

// ProfileNames are the names of the profiles, the default first.
func ProfileNames() []string { return pooltree.ProfileNames() }
