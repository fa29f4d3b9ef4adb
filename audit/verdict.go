package audit

import (
	"fmt"
	"slices"

	"poolproof/replay/tables"
)

// An Outcome is the result of an audit for one tree.
type Outcome struct {
	Audit    *Audit
	Tree     string
	Verdict  Judgement
	Seen     int64  // how much was judged
	SeenUnit string // of what
	Findings int    // that count for the verdict and those that do not
	Reason   string // what could not be judged and why, or why the audit failed
}

// A Verdict is the result of all audits for a run.
type Verdict struct {
	Cluster  string // as the trace names it; empty if it does not
	Profile  string
	From, To string // the judged window, ISO 8601 UTC
	Trees    []string
	Params   map[string]float64 // "audit.param" to the value that judged
	Audits   []*Audit
	Outcomes []Outcome // in the order (audit, tree)
	Findings []Finding // worst first

	Baseline         *Baseline         // what Findings were compared with; nil without one
	Fixed            []Finding         // findings of the baseline that are gone, worst first
	Incidents        []Incident        // worst first
	Promises         []Promise         // worst grade first
	Open             []OpenEpisode     // episodes that the window cuts
	Configured       bool              // a configuration of pools or trees is known; without one nothing is promised
	TreeCoverage     []TreeCoverage    // in the order of Trees
	ShareAgreement   *ShareAgreement   // nil where the log records no fair shares
	DeficitAgreement *DeficitAgreement // nil where the log reports no deficits
	Notices          []string          // what the owner of the policy should know, as sentences
	Partial          bool              // only some audits ran, and nothing of it stands in the run
	LostRows         []tables.LostRows // of the trace, that the replay left out
	PolicyFaults     []string          // the notices that require a change of the policy

	FailOn           []Severity // a violated finding of these severities fails the run
	FailOnLogDamage  bool       // a damaged finding fails the run
	FailOnUnverified []string   // patterns of pools of which an unverifiable promise fails the run
	MinCoverage      float64    // share of the pairs of audit and tree that must be judged
	MinTimeCoverage  float64    // share of every tree's window that must be judged
	MinCheckCoverage float64    // share of every tree's checks that must be judged
	MinKeptTime      float64    // share of the time that tests a promise: the headline names whose was excused and kept for less
}

// Judged reports whether anything was judged and came to a verdict: not where nothing
// happened, nor where what there was is undecidable.
func (o *Outcome) Judged() bool {
	return o.Seen > 0 && o.Verdict != Failed && o.Verdict != Undecidable
}

// VerifiablePromises returns the number of promises that were tested and could be kept, and how
// many of these could be judged.
func (v *Verdict) VerifiablePromises() (all, judged int) {
	for i := range v.Promises {
		switch v.Promises[i].Grade {
		case Unverifiable:
			all++
		case Broken, InPart, Kept:
			all, judged = all+1, judged+1
		}
	}
	return all, judged
}

// BelowFloor reports whether less could be judged than was asked for: of the rules, of a
// tree's time or checks, or, where anything is asked of the rules, no promise at all of
// those that something tested.
func (v *Verdict) BelowFloor() bool {
	all, judged := v.VerifiablePromises()
	return v.Coverage() < v.MinCoverage || v.MinCoverage > 0 && all > 0 && judged == 0 || slices.ContainsFunc(v.TreeCoverage, v.tooLittle)
}

// Exit codes of a verdict (the rest are the command's). None is 2: a Go program that finds no memory
// or no thread ends with that, without a verdict.
const (
	ExitKept     = 0
	ExitViolated = 1
	ExitCoverage = 3
	ExitFailed   = 4
)

// ExitCode is ExitFailed if an audit failed to run, else ExitViolated if a finding or an unverifiable
// promise fails the run, else ExitCoverage if less was judged than was asked for, else ExitKept.
func (v *Verdict) ExitCode() int {
	switch {
	case slices.ContainsFunc(v.Outcomes, func(o Outcome) bool { return o.Verdict == Failed }):
		return ExitFailed
	case slices.ContainsFunc(v.Findings, v.Fails), len(v.Unverified()) > 0:
		return ExitViolated
	case v.BelowFloor():
		return ExitCoverage
	}
	return ExitKept
}

// Unverified are the unverifiable promises of pools that fail the run.
func (v *Verdict) Unverified() (failing []Promise) {
	for _, text := range v.FailOnUnverified {
		pattern := newPoolGlob(text)
		for _, p := range v.Promises {
			if p.Grade == Unverifiable && p.SubjectKind == "pool" && pattern.matchesPool(p.Tree, p.Path) &&
				!slices.ContainsFunc(failing, func(q Promise) bool { return q.ID == p.ID }) {
				failing = append(failing, p)
			}
		}
	}
	return failing
}

// unmatched says which patterns of fail_on_unverifiable match no pool.
func (p *Policy) unmatched(paths poolPaths) (notices []string) {
	for _, text := range p.FailOnUnverified {
		pattern, found := newPoolGlob(text), false
		for tree, of := range paths {
			for _, path := range of {
				found = found || pattern.matchesPool(tree, path)
			}
		}
		if !found {
			notices = append(notices, fmt.Sprintf("No pool matches %q of fail_on_unverifiable: correct it, or remove it.", text))
		}
	}
	return notices
}

// tooLittle reports whether less of a tree was judged than was asked for. Of a tree
// without checks none was left out.
func (v *Verdict) tooLittle(c TreeCoverage) bool {
	return c.Time() < v.MinTimeCoverage || c.Checks > 0 && c.CheckShare() < v.MinCheckCoverage
}

// Fails reports whether a finding fails the run.
func (v *Verdict) Fails(f Finding) bool {
	return f.Counts() && slices.Contains(v.FailOn, f.Severity) || v.FailOnLogDamage && f.Verdict == Damaged && f.Judged != "possible" && f.Suppressed == nil
}

// Coverage is the share of the applicable pairs of audit and tree that could be judged: a pair
// without anything to judge is not a gap of the log.
func (v *Verdict) Coverage() float64 {
	judged, idle := 0, 0
	for i := range v.Outcomes {
		switch o := &v.Outcomes[i]; {
		case o.Verdict == Idle:
			idle++
		case o.Judged():
			judged++
		}
	}
	return part(float64(judged), float64(len(v.Outcomes)-idle))
}
