package audit

import (
	"fmt"
	"strings"
)

// A Policy holds the requirements of a cluster's owner: thresholds, SLAs of pools, conditions that
// fail a run, and suppressions. NewPolicy returns the defaults.
type Policy struct {
	FailOn           []Severity        // a violated finding of these severities fails the run; info never does
	FailOnLogDamage  bool              // a damaged finding fails the run, of whatever severity
	FailOnUnverified []string          // patterns of pools of which an unverifiable promise fails the run
	MinCoverage      float64           // share of the pairs of audit and tree with something to judge that must be judged, 0 to 1
	MinTimeCoverage  float64           // share of every tree's window, 0 to 1
	MinCheckCoverage float64           // share of every tree's checks, 0 to 1
	MinKeptTime      float64           // share of the time that tested a promise, 0 to 1: the headline names whose was excused and kept for less
	IncidentGap      float64           // seconds between findings of one cause up to which they are one incident
	Params           map[string]string // thresholds: "audit.param" to its value
	Slacks           map[string]string // tolerances: a name to its value in the replay (judge.Settable) and in all audits that have such a parameter

	slas         []sla             // the first that matches a pool is its SLA
	suppressions []suppressionRule // in the file's order
}

// NewPolicy returns the policy of an empty file.
func NewPolicy() *Policy {
	return &Policy{
		FailOn: []Severity{Critical, Major, Minor}, MinCoverage: defaultMinCoverage, MinKeptTime: 0.5, IncidentGap: 600,
		Params: map[string]string{}, Slacks: map[string]string{},
	}
}

// defaultMinCoverage is the part of the applicable rules that must be judged for a run to
// be called kept. Real logs lie on either side of it: from accounting logs, which record
// jobs alone, 3 % of the rules can be judged (Alibaba's, MetaCentrum's), and 14 to 18 %
// with a configuration; from the event logs of a scheduler 74 to 82 %.
const defaultMinCoverage = 0.5

// PolicyExample is a policy file with every key. Those above the slas have their
// defaults.
const PolicyExample = `# A violated finding of these severities fails the run; info never does. [] fails it on
# nothing: the verdict is the same, and the exit code 0.
fail_on: [critical, major, minor]

# What is wrong with the log itself (rows are lost, or contradict each other) is reported as
# damaged and does not fail the run. true fails it, with exit code 1.
fail_on_log_damage: false

# An unverifiable promise of these pools fails the run, too, with exit code 1. Pools are
# named as in slas below: [prod/**, physical/etl].
fail_on_unverifiable: []

# Exit with 3 if less could be judged: of the applicable rules in all trees, of every
# tree's time, of every tree's rule checks (one rule about one recorded start or
# preemption); each 0 to 1. A rule does not count in a tree where it is not applicable (no
# preemption, no FIFO pool). Logs that record jobs alone reach some 0.03 of the rules, 0.2
# with a configuration, and event logs of a scheduler 0.75 and more: half separates them.
min_coverage: 0.5
min_time_coverage: 0
min_check_coverage: 0

# A promise of a pool that was not kept for a time that is excused is graded excused. If it
# was kept for less than this part of the time that tested it, 0 to 1, the headline names
# the pool.
min_kept_time: 0.5

# Findings with one cause that lie no further apart are one incident.
incident_gap_s: 600

# A threshold, by the audit's name, or by the id of a rule for all audits that judge it:
# GUA-03: {sla_s: 300}.
strong_guarantee_unmet:
  sla_s: 300

# How far the log may be off before a finding is violated: the slacks that the
# replay judges by, and thresholds of the same name in all audits. Where a slack of
# the replay is not given, run and replay derive it from the periods that the log's
# cluster states.
slacks:
  use_s: 10

# What pools were promised. The first entry that matches a pool is its SLA: its bounds
# replace thresholds, and findings of these audits outside its days and hours are excused.
# A pool is its path, or its tree and its path: physical/prod/**. * is any text without a
# slash, ** with slashes; without either its name will do: etl, physical/etl.
# Hours are one or more spans of a day, and the zone after the last: a name of the IANA
# database or an offset from UTC, as 08:00-12:00,13:00-20:00 +02:00. Without a zone they are
# UTC. Days are those of the same zone. Where clocks change, what the clock shows counts.
slas:
  - pool: prod/**
    tree: "*"
    days: mon-fri
    hours: 08:00-20:00 Europe/Berlin
    bounds:
      strong_guarantee_unmet: {sla_s: 60}

# Known findings: they stay listed and do not fail the run if the log's window ends by
# the end of the day "until". An entry gives at least one of audit, tree, pool, subject
# and finding (an id or a fingerprint); the first four may be patterns. An audit may be the
# id of a rule: GUA-03 covers what was found about that rule.
suppressions:
  - audit: node_in_two_trees
    subject: rack17-*
    owner: anna@example.com
    reason: the rack moves to the GPU tree
    until: 2026-06-30
`

// values returns the parameters of each audit: the policy's threshold, else its
// slack, else the audit's default.
func (p *Policy) values(audits []*Audit) (map[*Audit]values, error) {
	given := map[string]string{}
	for _, a := range audits {
		for _, q := range a.Params {
			if value, ok := p.Slacks[q.Name]; ok {
				given[a.ID+"."+q.Name] = value
			}
		}
	}
	for name, value := range p.Params {
		given[name] = value
	}
	return paramValues(audits, given)
}

// Check refuses thresholds that Run would refuse: a *UsageError. It lets a caller
// find out before the work that comes first.
func (p *Policy) Check(audits []*Audit) error {
	_, err := p.values(audits)
	return err
}

// Thresholds lists what a policy may set for each audit: one line for each with
// its default, unit and sentence.
func Thresholds(audits []*Audit) string {
	var b strings.Builder
	for _, a := range audits {
		for _, p := range a.Params {
			fmt.Fprintf(&b, "  %s.%s  %v %s: %s\n", a.ID, p.Name, p.Default, p.Unit, p.Sentence)
		}
	}
	return b.String()
}
