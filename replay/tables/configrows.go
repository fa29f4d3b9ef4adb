package tables

import "poolproof/core"

// A ConfigurationFault is the row of one rule that a configuration broke, from
// when it was written until it was corrected (core/spec/scheduling.md §4).
type ConfigurationFault struct {
	Pool        string    `col:"pool" doc:"pool at fault; empty if it is the tree"`
	Option      string    `col:"option_name" doc:"option at fault; empty if it is the object as a whole"`
	Rule        string    `col:"rule" doc:"name of the broken rule, as poolproof validate reports it"`
	Invariant   string    `col:"invariant" doc:"its id among the invariants; empty if it has none"`
	Severity    string    `col:"severity" words:"severity" doc:"how much it matters: critical, major, minor or info"`
	Meaning     string    `col:"meaning" doc:"what is wrong, as a clause"`
	Detail      string    `col:"detail" doc:"what was found; empty if the rule says it all"`
	Refused     bool      `col:"refused" doc:"whether the scheduler refuses such a configuration and keeps the old one in force; otherwise it is in force"`
	FromTime    core.Time `col:"from_time" unit:"time" doc:"when the configuration was written or took effect"`
	ToTime      core.Time `col:"to_time" unit:"time" doc:"when it was mended, exclusive"`
	ClippedFrom bool      `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo   bool      `col:"clipped_to" doc:"whether the span goes on after the window"`
}
