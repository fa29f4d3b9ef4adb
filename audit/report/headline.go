package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// Tallies count the run's rules and findings for its headline.
type tallies struct {
	broken, failed, unknown, idle, damaged, judged int // rules; judged ones are about the scheduler
	violated, excepted                             int // findings; excepted are those that the policy suppresses
}

func (s *summary) tallies() (t tallies) {
	for _, p := range s.promises {
		t.violated += p.counts[audit.Violated]
		t.excepted += p.suppressed
		switch {
		case p.verdict == audit.Failed:
			t.failed++
		case p.counts[audit.Violated] > 0:
			t.broken++
		case p.verdict == audit.Undecidable:
			t.unknown++
		case p.verdict == audit.Idle:
			t.idle++
		case p.verdict == audit.Damaged:
			t.damaged++
		}
	}
	t.judged = len(s.promises) - t.failed - t.unknown - t.idle - t.damaged
	return t
}

// Class is the first word of the headline, for its colour: broken, failed, unknown or
// kept.
func (s *summary) Class() string {
	first, _, _ := strings.Cut(s.headline(), ":")
	first, _, _ = strings.Cut(first, " ")
	return strings.ToLower(first)
}

// headline says in one line which promises were broken, to whom; else whether they were
// kept, as far as enough could be judged to say so.
func (s *summary) headline() string {
	t := s.tallies()
	switch {
	case t.violated > 0:
		return "BROKEN: " + s.brokenText(t) + "."
	case t.failed > 0:
		return fmt.Sprintf("FAILED: %s did not run.", count(t.failed, "audit", "audits"))
	case s.failingDamage() > 0:
		return "UNKNOWN: no violation was found, but the log is damaged, which fails the run."
	case len(s.Unverified()) > 0:
		var pools []string
		for _, p := range s.Unverified() {
			if name := "pool " + nameOf(p); !slices.Contains(pools, name) {
				pools = append(pools, name)
			}
		}
		return fmt.Sprintf("UNKNOWN: no violation was found, but %s of %s, which fails the run.",
			count(len(s.Unverified()), "promise is unverifiable", "promises are unverifiable"), byKind(pools))
	case t.judged == 0:
		return "UNKNOWN: no rule could be judged from this log."
	case t.scarce():
		return "UNKNOWN: " + t.scarceText() + "; no violation was found" + s.knownText() + "."
	case s.BelowFloor():
		what := fmt.Sprintf("too little could be judged (%s)", ofAll(t.judged, t.judged+t.unknown, "rule", "rules"))
		if all, judged := s.VerifiablePromises(); s.Coverage() >= s.MinCoverage && all > 0 && judged == 0 {
			what = "none of " + count(all, "promise", "promises") + " that something tested could be judged"
			if all == 1 {
				what = "the one promise that something tested could not be judged"
			}
		}
		return "UNKNOWN: no violation was found, but " + what + s.knownText() + "."
	case s.keptPromises() == 0 && s.inPart() > 0:
		return "EXCUSED: " + s.keptText(t) + "."
	case t.excepted > 0:
		return "KEPT but for what is suppressed: " + s.keptText(t) + "."
	}
	return "KEPT: " + s.keptText(t) + "."
}

// scarce reports whether fewer than half of the applicable rules could be judged, so that
// nothing is said of the scheduler as a whole, whatever the policy asks for.
func (t tallies) scarce() bool { return 2*t.judged < t.judged+t.unknown }

func (t tallies) scarceText() string {
	return fmt.Sprintf("only %d of the %d applicable rules could be judged", t.judged, t.judged+t.unknown)
}

// brokenText says which promises are broken and whose, or, if none is, which rules.
func (s *summary) brokenText(t tallies) string {
	var names []string
	promises := 0
	for _, p := range s.Promises {
		if s.counted(&p) {
			promises++
			if name := p.SubjectKind + " " + nameOf(p); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	switch {
	case promises > 0:
		return fmt.Sprintf("%s, of %s", ofAll(promises, len(s.Promises), "promise", "promises"), byKind(names))
	case len(s.Promises) > 0:
		return fmt.Sprintf("%s, though none of the %d promises", s.rulesBroken(t), len(s.Promises))
	}
	return s.rulesBroken(t)
}

// counted reports whether a promise is broken by a finding that is not suppressed.
func (s *summary) counted(p *audit.Promise) bool {
	return p.Grade == audit.Broken && slices.ContainsFunc(p.FindingIDs, func(id string) bool { return s.counting[id] })
}

// rulesBroken names the rules of the scheduler that were broken, and where.
func (s *summary) rulesBroken(t tallies) string {
	var names []string
	for _, i := range s.incidents {
		if name := i.CauseKind + " " + i.Cause; i.Verdict == audit.Violated && !i.Suppressed && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("%s of the scheduler, about %s", ofAll(t.broken, t.judged, "rule", "rules"), byKind(names))
}

// ofAll is a part of a whole: 3 of 39 promises; the one promise.
func ofAll(n, all int, one, many string) string {
	if all == 1 {
		return "the one " + one
	}
	return fmt.Sprintf("%d of %d %s", n, all, many)
}

// byKind lists names that begin with their kind, each kind once: pools rich, narrow and
// limited; pool a and tree b.
func byKind(all []string) string {
	var kinds []string
	of := map[string][]string{}
	for _, n := range all {
		kind, name, _ := strings.Cut(n, " ")
		if of[kind] == nil {
			kinds = append(kinds, kind)
		}
		of[kind] = append(of[kind], spelling.OneName(name))
	}
	var parts []string
	for _, kind := range kinds {
		if len(of[kind]) > 1 {
			parts = append(parts, kind+"s "+names(of[kind]))
		} else {
			parts = append(parts, kind+" "+of[kind][0])
		}
	}
	return strings.Join(parts, " and ")
}

// keptText says what was kept: promises that something tested, or rules alone.
func (s *summary) keptText(t tallies) string {
	all, judged := s.VerifiablePromises()
	switch {
	case len(s.Promises) == 0 && t.judged == 1:
		return "the one judged rule; nothing is promised"
	case len(s.Promises) == 0:
		return fmt.Sprintf("all %d judged rules; nothing is promised", t.judged)
	case all == 0 && s.impossible() > 0:
		return fmt.Sprintf("all %d judged rules; %s", t.judged, s.impossibleText())
	case all == 0:
		return fmt.Sprintf("all %d judged rules; nothing tested a promise", t.judged)
	case judged < all || s.inPart() > 0 || s.impossible() > 0:
		var rest []string
		if n := s.inPart(); n > 0 {
			judged -= n
			rest = append(rest, s.excusedText(n))
		}
		if n := all - judged - s.inPart(); n > 0 {
			rest = append(rest, fmt.Sprintf("%d could not be judged", n))
		}
		if s.impossible() > 0 {
			rest = append(rest, s.impossibleText())
		}
		whole := "the " + count(all, "promise", "promises")
		return fmt.Sprintf("%d of %s that something tested; %s%s", judged, whole, strings.Join(rest, "; "), s.knownText())
	}
	return ofAll(all, all, "promise that something tested", "promises that something tested")
}

// excusedText says that promises were kept except for excused time, and names the pools for which
// that was most of the time that tested them (min_kept_time of the policy).
func (s *summary) excusedText(n int) string {
	text := fmt.Sprintf("%d but for excused time", n)
	mostly := s.whose(func(p *audit.Promise) bool { return p.Grade == audit.InPart && p.Kept < s.MinKeptTime*p.Tested })
	if len(mostly) > 0 {
		text += fmt.Sprintf(", which was most of the time of %s", byKind(mostly))
	}
	return text
}

// impossibleText counts the promises that no scheduler could keep.
func (s *summary) impossibleText() string {
	names := s.whose(func(p *audit.Promise) bool { return p.Grade == audit.Impossible })
	return fmt.Sprintf("%s that no scheduler could keep, of %s", count(s.impossible(), "promise", "promises"), byKind(names))
}

// knownText names the pools of which a guarantee is known to have been unmet, though the log
// does not tell whether it was broken; empty if there are none.
func (s *summary) knownText() string {
	names := s.whose(func(p *audit.Promise) bool { return p.Grade == audit.Unverifiable && p.Delivery.TooLong() })
	if len(names) == 0 {
		return ""
	}
	return "; guarantees known to be unmet for longer than is allowed: " + byKind(names)
}

// whose are the owners of the wanted promises, each once, with their kinds.
func (s *summary) whose(wanted func(*audit.Promise) bool) (names []string) {
	for i := range s.Promises {
		p := &s.Promises[i]
		if name := p.SubjectKind + " " + nameOf(*p); wanted(p) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (s *summary) impossible() int {
	return countIf(s.Promises, func(p audit.Promise) bool { return p.Grade == audit.Impossible })
}

func (s *summary) keptPromises() int {
	return countIf(s.Promises, func(p audit.Promise) bool { return p.Grade == audit.Kept })
}

// inPart returns the number of promises that were kept except for excused time.
func (s *summary) inPart() int {
	return countIf(s.Promises, func(p audit.Promise) bool { return p.Grade == audit.InPart })
}

// Worst are the worst shortfalls of broken promises, one sentence each.
func (s *summary) Worst() (lines []string) {
	for _, p := range s.Promises {
		if s.counted(&p) && p.Shortfall != nil && !slices.Contains(lines, p.Shortfall.Text) {
			lines = append(lines, spelling.OneName(p.Shortfall.Text))
		}
	}
	return lines
}

// shownWorst bounds the number of shortfalls under the headline.
const shownWorst = 3

// worstLine joins the worst shortfalls to a sentence; empty if there are none.
func (s *summary) worstLine() string {
	worst := s.Worst()
	if len(worst) == 0 {
		return ""
	}
	text := "Worst: " + strings.Join(worst[:min(len(worst), shownWorst)], "; ")
	if more := len(worst) - shownWorst; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text + "."
}

// countsLine counts findings by verdict and the rules that they are of.
func (s *summary) countsLine() string {
	t := s.tallies()
	var found, rules []string
	add := func(list *[]string, n int, text string) {
		if n > 0 {
			*list = append(*list, number(int64(n))+" "+text)
		}
	}
	for _, w := range verdictWords {
		n := 0
		for _, p := range s.promises {
			n += p.counts[audit.Judgement(w.Word)]
		}
		if w.Word == "suppressed" {
			n = t.excepted
		}
		add(&found, n, w.Word)
		add(&rules, countIf(s.promises, func(p *promise) bool { return p.Word() == w.Word }), w.Word)
	}
	text := "Findings: " + cmp.Or(strings.Join(found, ", "), "none") + ". Rules: " + strings.Join(rules, ", ") + "."
	if t.violated > 0 && s.failing() == 0 {
		// Otherwise the exit code 0 would contradict the headline.
		text += " The policy fails the run on " + cmp.Or(s.failOnText(), "nothing") + "."
	}
	return text
}

// opening says below the headline how it was altogether, what was judged, and how that stands
// against the baseline: the first sentences of every report for a person.
func (s *summary) opening() (lines []string) {
	for _, text := range append(append([]string{s.worstLine()}, s.belowLines()...), s.countsLine(), s.window(), s.compared()) {
		if text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

// unconfigured says first of all what is missing where no configuration was given.
const unconfigured = "No configuration was given, so that nothing is promised and few rules apply. Give one to the import: poolproof import --help shows --config and --pool-trees."

// First are the sentences that come before the headline's details: what is missing for
// most of the rules, unless the headline says so.
func (s *summary) First() (lines []string) {
	if !s.Configured {
		lines = append(lines, unconfigured)
	}
	if t := s.tallies(); t.scarce() && (t.violated > 0 || t.failed > 0) {
		lines = append(lines, capital(t.scarceText())+".")
	}
	return lines
}
