package report

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
)

// exitLine says the exit code and why it is that, which the headline need not tell:
// it counts what the policy does not fail on, too.
func (s *summary) exitLine() string {
	code := s.ExitCode()
	asked := s.failOnText()
	reason := "less could be judged than was asked for"
	switch {
	case code == audit.ExitFailed:
		reason = "an audit failed to run"
	case code == audit.ExitViolated && s.failing() == 0 && s.failingDamage() > 0:
		reason = s.damageText()
	case code == audit.ExitViolated && s.failing() == 0:
		reason = s.unverifiedText()
	case code == audit.ExitViolated:
		reason = fmt.Sprintf("%s of severity %s", count(s.failing(), "violated finding", "violated findings"), asked)
	case code == audit.ExitKept && asked == "":
		reason = "the policy fails the run on nothing"
	case code == audit.ExitKept:
		reason = "no violated finding of severity " + asked
		if slices.ContainsFunc(s.Findings, func(f audit.Finding) bool { return f.Verdict == audit.Violated && f.Suppressed != nil }) {
			reason += " that is not suppressed"
		}
	}
	return fmt.Sprintf("Exit code %d: %s.", code, reason)
}

// unverifiedText says how many unverifiable promises fail the run.
func (s *summary) unverifiedText() string {
	promises := count(len(s.Unverified()), "unverifiable promise", "unverifiable promises")
	return promises + " of pools that the policy names in fail_on_unverifiable"
}

// failing returns the number of findings that fail the run.
func (s *summary) failing() int {
	return countIf(s.Findings, func(f audit.Finding) bool { return f.Counts() && s.Fails(f) })
}

// failingDamage returns the number of findings of damage of the log that fail the run.
func (s *summary) failingDamage() int { return countIf(s.Findings, s.Fails) - s.failing() }

// damageText says how many findings of damage fail the run.
func (s *summary) damageText() string {
	return fmt.Sprintf("%s of damage of the log, on which the policy fails (fail_on_log_damage)", count(s.failingDamage(), "finding", "findings"))
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

// warnings are the shortfalls and the notices.
func (s *summary) warnings() []string {
	return slices.Concat(shortfalls(s.Verdict), s.openLines(), s.Notices)
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
