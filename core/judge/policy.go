package judge

import (
	"slices"
	"strings"
)

// classicRules are the rules of the classic scheduling policy, by id or as a family: they say
// nothing of a tree in which the GPU policy decides (core/spec/scheduling.md §18). Of a family,
// bothPolicies are excepted.
var (
	classicRules = []string{
		"HB-", "LST-", "PRE-", "GRC-", "SEG-", "OVC-", "FIFO-03", "LIM-04", "LIM-05", "LIM-06", "GUA-03", "GUA-07", "GUA-08", "STV-09",
	}
	bothPolicies = []string{"PRE-21", "PRE-22", "PRE-30"}
)

// IsClassic reports whether the rule of an id is one of the classic scheduling policy alone.
func IsClassic(id string) bool {
	return !slices.Contains(bothPolicies, id) && slices.ContainsFunc(classicRules, func(family string) bool {
		return id == family || strings.HasSuffix(family, "-") && strings.HasPrefix(id, family)
	})
}

// classic tells for each invariant whether it is one of the classic scheduling policy alone.
var classic = func() (all [len(declared)]bool) {
	for i := range declared {
		all[declared[i].invariant] = IsClassic(declared[i].id)
	}
	return all
}()

// IsClassic reports whether the invariant is one of the classic scheduling policy alone.
func (i Invariant) IsClassic() bool { return classic[i] }

// DropClassic removes the rulings on rules of the classic scheduling policy alone.
func DropClassic(rulings []Ruling) []Ruling {
	return slices.DeleteFunc(rulings, func(r Ruling) bool { return r.Invariant.IsClassic() })
}
