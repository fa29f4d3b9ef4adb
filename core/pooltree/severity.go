package pooltree

import (
	"maps"
	"slices"
)

// A Severity is how much a broken rule matters (core/spec/invariants.md §1).
type Severity string

// The severities, the worst first. Info is legal and worth a look.
const (
	Critical Severity = "critical"
	Major    Severity = "major"
	Minor    Severity = "minor"
	Info     Severity = "info"
)

// gravity is what core/spec/invariants.md §2 makes of a rule: its id there, "" if it
// has none, and its severity.
type gravity struct {
	invariant string
	severity  Severity
}

var gravities = map[Rule]gravity{
	NameEmpty:     {"CFG-01", Critical},
	NameReserved:  {"CFG-01", Critical},
	NameTooLong:   {"CFG-01", Critical},
	NamePattern:   {"CFG-01", Critical},
	DuplicateName: {"CFG-01", Critical},

	FIFOEphemeral:    {"CFG-02", Critical},
	FIFOWithChildren: {"CFG-02", Critical},

	RunningAboveTotal:      {"CFG-03", Major},
	GuaranteeWithoutParent: {"CFG-04", Major},
	GuaranteeSum:           {"CFG-04", Major},
	MainResource:           {"CFG-05", Major},
	IntegralUnderIntegral:  {"CFG-06", Major},
	BurstOnRelaxed:         {"CFG-06", Major},
	OutOfRange:             {"CFG-07", Major},
	ThresholdOrder:         {"CFG-07", Major},
	TimeoutOrder:           {"CFG-07", Major},
	AliasConflict:          {"CFG-08", Minor},
	GuaranteeAboveTotal:    {"CFG-09", Info},
	WaitingTimeout:         {"CFG-10", Info},
	NoDefaultParent:        {"CFG-11", Info},
	UnknownPreset:          {"CFG-12", Major},
	PresetOption:           {"CFG-12", Major},
	Oversubscribed:         {"CFG-13", Info},
	LimitBelowGuarantee:    {"CFG-14", Info},
	Depth:                  {"CFG-15", Minor},
	SubtreeSize:            {"CFG-15", Minor},
	IgnoredTimeout:         {"CFG-16", Info},
	IncompleteIntegral:     {"CFG-17", Minor},
	OverlappingFilters:     {"TREE-01", Major},

	DuplicateTree:        {"", Critical},
	NoSuchTree:           {"", Major},
	NoSuchPool:           {"", Major},
	NoSuchParent:         {"", Critical},
	NoDefaultTree:        {"", Major},
	MoveIntoDescendant:   {"", Critical},
	MoveBetweenTrees:     {"", Major},
	WrongType:            {"", Major},
	BadFormula:           {"", Major},
	NullThreshold:        {"", Major},
	NotATreeAttribute:    {"", Minor},
	MeteringWithoutOwner: {"", Minor},
	SSDFilterRequired:    {"", Major},
}

// Rules returns all rules, sorted.
func Rules() []Rule { return slices.Sorted(maps.Keys(meanings)) }

// Meaning says what the rule asks for.
func (r Rule) Meaning() string { return meanings[r] }

// Invariant returns the rule's id in core/spec/invariants.md, "" if it has none.
func (r Rule) Invariant() string { return gravities[r].invariant }

// Severity returns how much it matters that the rule is broken.
func (r Rule) Severity() Severity { return gravities[r].severity }
