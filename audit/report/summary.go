package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
)

// A promise is one audit over all trees.
type promise struct {
	*audit.Audit
	verdict    audit.Judgement // the worst over the trees
	outcomes   []audit.Outcome
	counts     map[audit.Judgement]int // of its findings, without the suppressed
	suppressed int                     // of its findings that the policy suppresses
	seen       int64
	unit       string
}

// A summary is a verdict in the order in which a person reads it.
type summary struct {
	*audit.Verdict
	promises  []*promise      // the worst first
	incidents []incident      // the worst first
	counting  map[string]bool // ids of the findings that count
}

// An incident is one trouble with its findings, the worst first.
type incident struct {
	audit.Incident
	findings []audit.Finding
}

func summarize(v *audit.Verdict) *summary {
	s := &summary{Verdict: v, incidents: incidentsOf(v), counting: map[string]bool{}}
	byID := map[string]*promise{}
	for _, a := range v.Audits {
		p := &promise{Audit: a, counts: map[audit.Judgement]int{}}
		byID[a.ID] = p
		s.promises = append(s.promises, p)
	}
	for _, o := range v.Outcomes {
		p := byID[o.Audit.ID]
		p.outcomes = append(p.outcomes, o)
		p.seen += o.Seen
		p.unit = cmp.Or(o.SeenUnit, p.unit)
	}
	for _, f := range v.Findings {
		if f.Suppressed != nil {
			byID[f.Audit].suppressed++
			continue
		}
		byID[f.Audit].counts[f.Verdict]++
		s.counting[f.ID] = f.Counts()
	}
	for _, p := range s.promises {
		p.settle()
	}
	slices.SortStableFunc(s.promises, func(a, b *promise) int {
		return cmp.Compare(audit.Gravity(a.verdict, a.Severity, false), audit.Gravity(b.verdict, b.Severity, false))
	})
	return s
}

// incidentsOf joins the incidents with their findings. A finding that is part of
// none is one of its own.
func incidentsOf(v *audit.Verdict) []incident {
	var all []incident
	byID := map[string]int{}
	for _, i := range v.Incidents {
		byID[i.ID] = len(all)
		all = append(all, incident{Incident: i})
	}
	for _, f := range v.Findings {
		n, ok := byID[f.Incident]
		if !ok {
			n = len(all)
			all = append(all, incident{Incident: audit.Incident{ID: f.ID, Title: f.Reason, Audit: f.Audit, Tree: f.Tree, CauseKind: f.SubjectKind, Cause: f.Subject,
				From: f.From, To: f.To, Verdict: f.Verdict, Severity: f.Severity, Suppressed: f.Suppressed != nil, Status: f.Status, Findings: 1,
				Totals: amounts([]audit.Finding{f}), FindingIDs: []string{f.ID}}})
		}
		all[n].findings = append(all[n].findings, f)
	}
	all = slices.DeleteFunc(all, func(i incident) bool { return len(i.findings) == 0 })
	slices.SortStableFunc(all, func(a, b incident) int { return audit.CompareIncidents(a.Incident, b.Incident) })
	return all
}

// settle finds the promise's verdict: the worst over the trees in which it could
// be judged; if there are none, not applicable where nothing happened in any, else
// undecidable.
func (p *promise) settle() {
	p.verdict = audit.Undecidable
	if !slices.ContainsFunc(p.outcomes, func(o audit.Outcome) bool { return o.Verdict != audit.Idle }) {
		p.verdict = audit.Idle
	}
	found := false
	for _, o := range p.outcomes {
		if o.Judged() || o.Verdict == audit.Failed {
			if !found || o.Verdict.Rank() < p.verdict.Rank() {
				p.verdict = o.Verdict
			}
			found = true
		}
	}
}

// judgedTrees is in how many trees the promise could be judged.
func (p *promise) judgedTrees() (n int) {
	for _, o := range p.outcomes {
		if o.Judged() {
			n++
		}
	}
	return n
}

// Word is what the promise's verdict is called in a report.
func (p *promise) Word() string {
	if p.suppressed > 0 && len(p.counts) == 0 && p.verdict != audit.Failed {
		return "suppressed" // all that was found is suppressed
	}
	return string(p.verdict)
}

// worst returns the incidents to be spelled out, at most that many, violated and
// suspect ones with every promise among them, and how many findings of each
// verdict are left over.
func (s *summary) worst(most int) (shown []incident, rest map[audit.Judgement]int) {
	taken := map[string]int{}
	picked := make([]bool, len(s.incidents))
	// At most a few of one promise, so that a flood of one hides no other.
	for _, each := range []int{3, most} {
		for n, i := range s.incidents {
			counts := (i.Verdict == audit.Violated || i.Verdict == audit.Suspect) && !i.Suppressed
			if counts && !picked[n] && total(taken) < most && taken[i.Audit] < each {
				picked[n] = true
				taken[i.Audit]++
			}
		}
	}
	rest = map[audit.Judgement]int{}
	for n, i := range s.incidents {
		if picked[n] {
			shown = append(shown, i)
			continue
		}
		for _, f := range i.findings {
			if f.Verdict != audit.Noted {
				rest[f.Verdict]++
			}
		}
	}
	return shown, rest
}

// Word is what the incident's verdict is called.
func (i incident) Word() string { return verdictWord(i.Verdict, i.Suppressed) }

// First is the worst of its findings.
func (i incident) First() audit.Finding { return i.findings[0] }

// mark says ", new" of an incident that the baseline did not have.
func (i incident) mark() string {
	if i.Status == "" {
		return ""
	}
	return ", " + string(i.Status)
}

// shortfalls say where less could be judged than was asked, which is exit code 3
// where nothing is worse.
func shortfalls(v *audit.Verdict) (lines []string) {
	short := func(part, of string, asked float64) {
		lines = append(lines, fmt.Sprintf("%s of %s could be judged, %.4g %% were asked for.", part, of, 100*asked))
	}
	part := func(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }
	if c := v.Coverage(); c < v.MinCoverage {
		short(part(c), "the applicable rules", v.MinCoverage)
	}
	if all, judged := v.VerifiablePromises(); v.MinCoverage > 0 && all > 0 && judged == 0 {
		lines = append(lines, fmt.Sprintf("No promise could be judged of the %d that something tested.", all))
	}
	var times, checks folding
	for _, c := range v.TreeCoverage {
		if c.Time() < v.MinTimeCoverage {
			times.add(part(c.Time()), c.Tree)
		}
		if c.Checks > 0 && c.CheckShare() < v.MinCheckCoverage {
			checks.add(part(c.CheckShare()), c.Tree)
		}
	}
	for _, a := range times.all {
		short(a.text(), "the time of "+treesText(a.trees, v.Trees), v.MinTimeCoverage)
	}
	for _, a := range checks.all {
		short(a.text(), "the rule checks in "+treesText(a.trees, v.Trees), v.MinCheckCoverage)
	}
	return lines
}

// failing is how many findings fail the run.
func (s *summary) failing() int {
	return countIf(s.Findings, func(f audit.Finding) bool { return f.Counts() && slices.Contains(s.FailOn, f.Severity) })
}

// failOnText names the severities that fail the run: critical, major or minor; empty
// if there are none.
func (s *summary) failOnText() string {
	var of []string
	for _, severity := range s.FailOn {
		of = append(of, string(severity))
	}
	if n := len(of); n > 1 {
		return strings.Join(of[:n-1], ", ") + " or " + of[n-1]
	}
	return strings.Join(of, "")
}

// exitLine says the exit code and why it is that, which the headline need not tell:
// it counts what the policy does not fail on, too.
func (s *summary) exitLine() string {
	code := s.ExitCode()
	asked := s.failOnText()
	reason := "less could be judged than was asked for"
	switch {
	case code == 2:
		reason = "an audit failed to run"
	case code == 1:
		reason = fmt.Sprintf("%s of severity %s", count(s.failing(), "violated finding", "violated findings"), asked)
	case code == 0 && asked == "":
		reason = "the policy fails the run on nothing"
	case code == 0:
		reason = "no violated finding of severity " + asked
		if slices.ContainsFunc(s.Findings, func(f audit.Finding) bool { return f.Verdict == audit.Violated && f.Suppressed != nil }) {
			reason += " that is not suppressed"
		}
	}
	return fmt.Sprintf("Exit code %d: %s.", code, reason)
}

// warnings are the shortfalls and the notices.
func (s *summary) warnings() []string { return append(shortfalls(s.Verdict), s.Notices...) }

// compared says how the run stands against its baseline, in findings; empty without
// one. Those that are broken for certain are as many as the headline has.
func (s *summary) compared() string {
	if s.Baseline == nil {
		return ""
	}
	var fresh, lasting [2]int // of those that break a promise, and of the others but what is noted
	for i := range s.Findings {
		if s.Findings[i].Verdict == audit.Noted {
			continue
		}
		kind := 1
		if s.Findings[i].Counts() {
			kind = 0
		}
		if s.Findings[i].Status == audit.New {
			fresh[kind]++
		} else {
			lasting[kind]++
		}
	}
	var parts []string
	for kind, what := range [...][2]string{{"violated finding", "violated findings"}, {"other", "others"}} {
		if n := fresh[kind] + lasting[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("of %s %s new and %s", count(n, what[0], what[1]), count(fresh[kind], "is", "are"), count(lasting[kind], "persists", "persist")))
		}
	}
	parts = append(parts, count(len(s.Fixed), "finding is", "findings are")+" fixed")
	return fmt.Sprintf("Against %s: %s.", windowText(s.Baseline.From, s.Baseline.To), strings.Join(parts, "; "))
}

// differs say what makes the comparison with the baseline another one than that of two
// nights.
func (s *summary) differs() []string {
	if s.Baseline == nil {
		return nil
	}
	return s.Baseline.Differs
}

// window says what was judged, in one line.
func (s *summary) window() string {
	cluster := ""
	if s.Cluster != "" {
		cluster = "cluster " + OneLine(s.Cluster) + ", "
	}
	return fmt.Sprintf("%s, %s%s, profile %s, %s of the applicable rules could be judged.",
		windowText(s.From, s.To), cluster, count(len(s.Trees), "tree", "trees"), s.Profile, percentOf(s.Coverage()))
}

// windowText is a judged window for a person.
func windowText(from, to string) string {
	begin, errBegin := time.Parse(time.RFC3339Nano, from)
	end, errEnd := time.Parse(time.RFC3339Nano, to)
	if errBegin != nil || errEnd != nil {
		return from + " to " + to
	}
	return span(&begin, &end)
}

// A coverageGroup is trees with the same coverage: all, some or nothing of their time could
// be judged, likewise of their rule checks, and the same is missing.
type coverageGroup struct {
	Trees                []string
	time, share, missing alike
	Checks               int64
	rest                 bool // it has all trees that no group before it has
	all                  []string
}

// extentOf is 0 for nothing, 1 for some and 2 for all of a part that is shown.
func extentOf(part string) int {
	switch part {
	case percentOf(0):
		return 0
	case percentOf(1):
		return 2
	}
	return 1
}

// CoverageGroups say how much of each tree's time could be judged and of its rule checks
// settled; the exceptions come first.
func (s *summary) CoverageGroups() (groups []*coverageGroup) {
	type key struct {
		time, share int
		checks      bool
		missing     string
	}
	place := map[key]int{}
	for _, c := range s.TreeCoverage {
		part, share, missing := percentOf(c.Time()), "", strings.TrimSuffix(c.Reason, ".")
		if c.Checks > 0 {
			share = percentOf(c.CheckShare())
		}
		at := key{extentOf(part), extentOf(share), c.Checks > 0, shapeOf(missing, c.Tree)}
		i, ok := place[at]
		if !ok {
			i = len(groups)
			place[at] = i
			groups = append(groups, &coverageGroup{all: s.Trees})
		}
		g := groups[i]
		g.time.add(part, c.Tree)
		g.share.add(share, c.Tree)
		g.missing.add(missing, c.Tree)
		g.Trees, g.Checks = append(g.Trees, c.Tree), g.Checks+c.Checks
	}
	slices.SortStableFunc(groups, func(a, b *coverageGroup) int { return cmp.Compare(len(a.Trees), len(b.Trees)) })
	if n := len(groups); n > 1 {
		groups[n-1].rest = true
	}
	return groups
}

// Time, Share and Reason are how much of the time and of the rule checks could be judged,
// the latter empty where there were none, and what is missing.
func (g *coverageGroup) Time() string   { return g.time.text() }
func (g *coverageGroup) Share() string  { return g.share.text() }
func (g *coverageGroup) Reason() string { return g.missing.text() }

// Who names the trees.
func (g *coverageGroup) Who() string { return whoOf(g.Trees, g.all, g.rest) }

// coverageLines are the groups in text.
func (s *summary) coverageLines() (lines []string) {
	for _, g := range s.CoverageGroups() {
		line := fmt.Sprintf("%s: judged %s of the time", g.Who(), g.Time())
		if g.Checks > 0 {
			line += fmt.Sprintf(" and %s of %s", g.Share(), count(int(g.Checks), "rule check", "rule checks"))
		}
		if reason := g.Reason(); reason != "" {
			line += "; "
			if len(g.Trees) > 1 && len(g.missing.ranges) > 0 {
				line += "in each "
			}
			line += reason
		}
		lines = append(lines, line+".")
	}
	return lines
}

// shownNames is how many names are listed.
const shownNames = 3

// names lists the first few of names: a, b and c; a, b, c and 4 more.
func names(all []string) string {
	shown := slices.Clone(all[:min(len(all), shownNames)])
	if more := len(all) - shownNames; more > 0 {
		shown = append(shown, number(int64(more))+" more")
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return strings.Join(shown[:len(shown)-1], ", ") + " and " + shown[len(shown)-1]
}

// Grades says how many promises of the configuration have each grade.
func (s *summary) Grades() string {
	var parts []string
	for _, g := range audit.Grades {
		if n := countIf(s.Promises, func(p audit.Promise) bool { return p.Grade == g }); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", number(int64(n)), g))
		}
	}
	return strings.Join(parts, ", ")
}

// Result says what became of a promise.
func (p *promise) Result() string {
	if p.verdict == audit.Failed {
		return "its audit did not run"
	}
	return strings.Join(slices.DeleteFunc([]string{p.FoundText(), p.JudgedText()}, func(part string) bool { return part == "" }), "; ")
}

// FoundText counts the findings of a promise; empty without one.
func (p *promise) FoundText() string {
	text := tally(p.counts)
	if p.suppressed == 0 {
		return text
	}
	if text != "" {
		text += "; "
	}
	return text + number(int64(p.suppressed)) + " suppressed"
}

// JudgedText says how much of a promise was judged, and in how many trees it was not.
func (p *promise) JudgedText() string {
	var parts []string
	switch {
	case p.verdict == audit.Failed:
		return "its audit did not run"
	case p.seen > 0:
		parts = append(parts, seenText(p.unit, p.seen))
	case p.verdict == audit.Undecidable:
		parts = append(parts, "nothing judged")
	case p.verdict == audit.Idle:
		parts = append(parts, "nothing happened")
	}
	if n := len(p.outcomes) - p.judgedTrees(); n > 0 && n < len(p.outcomes) {
		parts = append(parts, fmt.Sprintf("not in %s", count(n, "tree", "trees")))
	}
	return strings.Join(parts, "; ")
}

// Rank and SeverityRank are the places of a promise's verdict and severity among all, the
// worst first; Found and Seen are how many findings it has and how much of it was judged.
func (p *promise) Rank() int         { return audit.Gravity(p.verdict, audit.Critical, false) }
func (p *promise) SeverityRank() int { return slices.Index(audit.Severities, p.Severity) }
func (p *promise) Found() int        { return total(p.counts) + p.suppressed }
func (p *promise) Seen() int64       { return p.seen }

// seenText says how much was judged. Rule checks are judgements themselves.
func seenText(unit string, n int64) string {
	if !strings.HasPrefix(unit, "rule checks") {
		unit += " judged"
	}
	return unit + ": " + number(n)
}

// findingVerdicts are the verdicts that a finding can have, the worst first.
var findingVerdicts = []audit.Judgement{audit.Violated, audit.Suspect, audit.Undecidable, audit.Excused, audit.Noted}

// tally says how many findings there are of each verdict, the worst first.
func tally(counts map[audit.Judgement]int) string {
	var parts []string
	for _, v := range findingVerdicts {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", number(int64(n)), v))
		}
	}
	return strings.Join(parts, ", ")
}

// A doubt is a reason for which promises could not be judged, with the trees.
type doubt struct {
	title string
	*alike
}

// doubts are what could not be judged and why.
func (s *summary) doubts() []doubt {
	var all []doubt
	for _, p := range s.promises {
		var reasons folding
		for _, o := range p.outcomes {
			if o.Reason != "" && o.Verdict != audit.Idle {
				reasons.add(o.Reason, o.Tree)
			}
		}
		for _, r := range reasons.all {
			all = append(all, doubt{p.Title, r})
		}
	}
	return all
}

// A reason is why some audits could not judge, or not wholly, in the same trees.
type reason struct {
	reason, where string
	titles        []string // of the audits
}

// shownTitles is how many audits are named of one reason.
const shownTitles = 2

// reasons are the doubts by their reason, those of most audits first.
func (s *summary) reasons() []reason {
	var all []reason
	for _, d := range s.doubts() {
		where := s.where(d)
		text := d.text()
		i := slices.IndexFunc(all, func(r reason) bool { return r.reason == text && r.where == where })
		if i < 0 {
			i = len(all)
			all = append(all, reason{reason: text, where: where})
		}
		all[i].titles = append(all[i].titles, d.title)
	}
	slices.SortStableFunc(all, func(a, b reason) int { return cmp.Compare(len(b.titles), len(a.titles)) })
	return all
}

// where names the trees of a doubt, unless all trees say the same.
func (s *summary) where(d doubt) string {
	each := len(d.trees) > 1 && len(d.ranges) > 0
	switch all := len(d.trees) == len(s.Trees); {
	case all && each:
		return " (in each tree)"
	case all:
		return ""
	case each:
		return fmt.Sprintf(" (in each of %s)", treesText(d.trees, s.Trees))
	}
	return fmt.Sprintf(" (%s)", treesText(d.trees, s.Trees))
}
