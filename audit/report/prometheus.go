package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"poolproof/audit"
)

// prometheus writes the verdict in prometheus's text format, for a collector of
// files. No sample has a timestamp of its own: the judged window is a value.
func prometheus(w io.Writer, v *audit.Verdict) error {
	p := &exposition{cluster: v.Cluster}
	p.ofRun(v)
	p.ofTrees(v)
	p.ofScores(v)
	p.ofAudits(v)
	p.ofFindings(v)
	_, err := w.Write(p.Bytes())
	return err
}

// An exposition is text in Prometheus's format, metric by metric.
// Every sample has the label cluster, so that several may have one collector.
type exposition struct {
	bytes.Buffer
	name, cluster string
}

// metric begins a gauge, whose samples follow.
func (p *exposition) metric(name, help string) {
	p.name = "poolproof_" + name
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s gauge\n", p.name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help), p.name)
}

// sample adds a value of the metric begun; labels are pairs of name and value.
func (p *exposition) sample(value float64, labels ...string) {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	labels = append([]string{"cluster", p.cluster}, labels...)
	var parts []string
	for i := 0; i < len(labels); i += 2 {
		parts = append(parts, labels[i]+`="`+escape.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD"))+`"`)
	}
	p.WriteString(p.name + "{" + strings.Join(parts, ",") + "}")
	form := byte('f')
	if value >= 1e15 || value <= -1e15 {
		form = 'g'
	}
	p.WriteString(" " + strconv.FormatFloat(value, form, -1, 64) + "\n")
}

func (p *exposition) ofRun(v *audit.Verdict) {
	p.metric("run_info", "The judged run; always 1.")
	p.sample(1, "profile", v.Profile)
	p.metric("window_start_timestamp_seconds", "Begin of the judged window, by the log.")
	p.sample(unixSeconds(v.From))
	p.metric("window_end_timestamp_seconds", "End of the judged window, by the log.")
	p.sample(unixSeconds(v.To))
	p.metric("exit_code", "0 all promises kept, 1 one violated, or unverifiable or damage of the log where the policy fails on that, 3 too little could be judged, 4 an audit did not run.")
	p.sample(float64(v.ExitCode()))
	p.metric("lost_rows", "Rows of the trace that the replay left out, so that what rests on them is undecidable.")
	if len(v.LostRows) == 0 {
		p.sample(0)
	}
	for i := range v.LostRows {
		l := &v.LostRows[i]
		p.sample(float64(l.Rows), "tree", l.Tree, "table", l.Table, "codes", strings.Join(l.Codes, ","))
	}
	p.metric("coverage_ratio", "Part of the applicable rules of all trees that could be judged, 0 to 1.")
	p.sample(v.Coverage())
	p.metric("coverage_asked_ratio", "Part of the applicable rules of all trees that must be judged, 0 to 1.")
	p.sample(v.MinCoverage)
	p.metric("time_coverage_asked_ratio", "Part of every tree's window that must be judged, 0 to 1.")
	p.sample(v.MinTimeCoverage)
	p.metric("check_coverage_asked_ratio", "Part of every tree's rule checks that the log must settle, 0 to 1.")
	p.sample(v.MinCheckCoverage)
}

// unixSeconds converts a time of a verdict; other texts become 0.
func unixSeconds(text string) float64 {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
}

func (p *exposition) ofTrees(v *audit.Verdict) {
	p.metric("tree_seconds", "Length of a tree's window.")
	for _, c := range v.TreeCoverage {
		p.sample(c.Seconds, "tree", c.Tree)
	}
	p.metric("tree_judged_seconds", "Part of a tree's window that could be judged.")
	for _, c := range v.TreeCoverage {
		p.sample(c.JudgedSeconds, "tree", c.Tree)
	}
	p.metric("tree_checks", "Rule checks: one rule about one recorded start or preemption, and recorded steps of admission.")
	for _, c := range v.TreeCoverage {
		p.sample(float64(c.Checks), "tree", c.Tree)
	}
	p.metric("tree_judged_checks", "Rule checks that the log settles.")
	for _, c := range v.TreeCoverage {
		p.sample(float64(c.JudgedChecks), "tree", c.Tree)
	}
	p.metric("promises", "Promises of the configuration by grade.")
	for _, tree := range v.Trees {
		for _, g := range audit.Grades {
			p.sample(float64(countIf(v.Promises, func(q audit.Promise) bool { return q.Tree == tree && q.Grade == g })), "tree", tree, "grade", string(g))
		}
	}
}

func (p *exposition) ofAudits(v *audit.Verdict) {
	p.metric("audit_verdict", "What an audit says of a tree; always 1, the verdict is a label.")
	for _, o := range v.Outcomes {
		p.sample(1, "audit", o.Audit.ID, "tree", o.Tree, "severity", string(o.Audit.Severity), "verdict", string(o.Verdict))
	}
	p.metric("audit_seen", "How many cases an audit judged; nothing is undecidable, never passed.")
	for _, o := range v.Outcomes {
		p.sample(float64(o.Seen), "audit", o.Audit.ID, "tree", o.Tree, "unit", o.SeenUnit)
	}
}

// ofFindings counts findings, with the zeros that alerts need: of what is violated.
// Other counts stand where they are not zero, which keeps the file short.
func (p *exposition) ofFindings(v *audit.Verdict) {
	type cell struct {
		audit, tree string
		verdict     audit.Judgement
	}
	found, suppressed := map[cell][]audit.Finding{}, map[cell]int{}
	for _, f := range v.Findings {
		if f.Suppressed != nil {
			suppressed[cell{f.Audit, f.Tree, ""}]++
			continue
		}
		c := cell{f.Audit, f.Tree, f.Verdict}
		found[c] = append(found[c], f)
	}
	p.metric("findings", "Findings by verdict, without the suppressed ones.")
	for _, o := range v.Outcomes {
		for _, verdict := range findingVerdicts {
			n := len(found[cell{o.Audit.ID, o.Tree, verdict}])
			if n == 0 && verdict != audit.Violated {
				continue
			}
			p.sample(float64(n), "audit", o.Audit.ID, "tree", o.Tree, "severity", string(o.Audit.Severity), "verdict", string(verdict))
		}
	}
	p.metric("open_episodes", "Episodes that an end of the window cuts while they may still break a promise, by the audit that judges how long they last.")
	open := map[cell]int{}
	for _, e := range v.Named() {
		open[cell{e.Audit, e.Tree, ""}]++
	}
	for _, o := range v.Outcomes {
		if n := open[cell{o.Audit.ID, o.Tree, ""}]; n > 0 {
			p.sample(float64(n), "audit", o.Audit.ID, "tree", o.Tree)
		}
	}
	p.metric("findings_suppressed", "Findings that the policy suppresses.")
	for _, o := range v.Outcomes {
		if n := suppressed[cell{o.Audit.ID, o.Tree, ""}]; n > 0 {
			p.sample(float64(n), "audit", o.Audit.ID, "tree", o.Tree)
		}
	}
	p.metric("findings_magnitude", "Magnitudes of findings that are not suppressed, summed, in the label's unit.")
	for _, o := range v.Outcomes {
		for _, verdict := range findingVerdicts {
			for _, a := range amounts(found[cell{o.Audit.ID, o.Tree, verdict}]) {
				p.sample(a.Magnitude, "audit", o.Audit.ID, "tree", o.Tree, "verdict", string(verdict), "unit", a.Unit)
			}
		}
	}
	p.metric("incidents", "Incidents by verdict, without the suppressed ones.")
	for _, tree := range v.Trees {
		for _, verdict := range findingVerdicts {
			p.sample(float64(countIf(v.Incidents, func(i audit.Incident) bool {
				return i.Tree == tree && i.Verdict == verdict && !i.Suppressed
			})), "tree", tree, "verdict", string(verdict))
		}
	}
	if v.Baseline != nil {
		p.metric("findings_compared", "Findings against the baseline, without the noted ones: new, persisting, or fixed since.")
		for _, s := range []audit.Status{audit.New, audit.Persisting} {
			p.sample(float64(countIf(v.Findings, func(f audit.Finding) bool { return f.Status == s && f.Verdict != audit.Noted })), "status", string(s))
		}
		p.sample(float64(len(v.Fixed)), "status", "fixed")
	}
}

// amounts are the totals of findings, in the order of the units' names.
func amounts(findings []audit.Finding) []audit.Amount {
	all := make([]*audit.Finding, len(findings))
	for i := range findings {
		all[i] = &findings[i]
	}
	sums := audit.Totals(all)
	slices.SortFunc(sums, func(a, b audit.Amount) int { return strings.Compare(a.Unit, b.Unit) })
	return sums
}

func countIf[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}
