package audit

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// tested reports whether one of the audits judged anything of the promise; if none
// did, unjudged says why they could not judge what there was.
func (t *promiseTerm) tested(looked []look) (yes bool, unjudged []string) {
	for _, l := range looked {
		for _, s := range l.spans {
			switch {
			case l.Seen == 0 || !t.meets(s.from, s.to):
			case s.missing == "":
				return true, nil
			case !slices.Contains(unjudged, s.missing):
				unjudged = append(unjudged, s.missing)
			}
		}
	}
	return false, unjudged
}

// grade grades one promise: the charges are about it, the outcomes are of the
// audits that judge it.
func (t *promiseTerm) grade(charges []charge, looked []look, states map[string]string, held heldHours) {
	count := map[Judgement]int{}
	suppressed := 0
	t.FindingIDs = []string{}
	for _, c := range charges {
		t.FindingIDs = append(t.FindingIDs, c.ID)
		count[c.verdict]++
		if c.verdict == Violated && c.Suppressed != nil {
			suppressed++
		}
	}
	short := t.shortage(charges, held)
	t.score(charges, looked, held, short)
	blind, seen := blindness(looked, states)
	tested, unjudged := t.tested(looked)
	switch {
	case count[Violated] > 0:
		t.Grade, t.Reason = Broken, "Violated: "+countText(count[Violated], "finding", "findings")+"."
		if suppressed > 0 {
			t.Reason = fmt.Sprintf("Violated: %s; the policy suppresses %d of them.", countText(count[Violated], "finding", "findings"), suppressed)
		}
	case t.impossible.Valid:
		t.Grade, t.Reason = Impossible, sentence(t.impossible.String)
	case t.missing.Valid:
		t.Grade, t.Reason, t.Missing = Unverifiable, "No audit could judge it.", sentence("the log does not record "+t.missing.String)
	case blind != "":
		t.Grade, t.Reason, t.Missing = Unverifiable, "No audit could judge it.", blind
	case lackingTo(charges) != "":
		t.Grade, t.Reason, t.Missing = Unverifiable, "The trace lost what would settle it.", sentence(lackingTo(charges))
	case count[Suspect] > 0:
		t.Grade, t.Reason = Unverifiable, "Suspect: "+countText(count[Suspect], "finding", "findings")+" that the log does not settle."
		t.Missing = suspicions(charges)
	case t.untested.Valid && !t.Delivery.TooLong():
		t.Grade, t.Reason = Vacuous, sentence("nothing tested it: "+t.untested.String)
	case t.Delivery.TooLong(): // which is known, whatever audits could judge
		t.settleExcused(charges, looked, held, short)
	case !seen && idle(looked):
		t.Grade, t.Reason = Vacuous, "Nothing tested it: its audits had nothing to judge."
	case !seen:
		t.Grade, t.Reason, t.Missing = Unverifiable, "No audit saw it tested.", unseen(looked)
	case unjudged != nil:
		t.Grade, t.Reason, t.Missing = Unverifiable, "Tested, but no audit could judge it.", sentence(strings.Join(unjudged, "; "))
	case !tested:
		t.Grade, t.Reason = Vacuous, "Nothing tested it: its audits had nothing of it to judge."
	case count[Excused] > 0:
		t.settleExcused(charges, looked, held, short)
	default:
		t.Grade, t.Reason = Kept, "Tested and not broken."
	}
	if t.Grade == Kept && t.Delivery.Notable() {
		t.Reason += " Below it for " + t.Delivery.Text(t.Tested) + "."
	}
	switch {
	case t.Grade == Vacuous:
		t.Tested, t.Kept, t.Delivery = 0, 0, nil
	case t.Grade == Unverifiable:
		t.Reason = strings.TrimSpace(t.Reason + " " + t.known())
	}
	if t.Delivery != nil && t.Delivery.Below == 0 && t.Tested == 0 {
		t.Delivery = nil
	}
	for _, more := range [...]sql.NullString{t.void, t.force} {
		if more.Valid {
			t.Reason += " " + more.String
		}
	}
}

// settleOpen grades a promise anew that an episode may break which the window cuts: whether it was
// kept is not known for that span.
func (t *promiseTerm) settleOpen(open []openCharge) {
	if len(open) == 0 || t.Grade != Kept && t.Grade != InPart && t.Grade != Vacuous {
		return
	}
	t.Grade = Unverifiable
	t.Reason = "An episode that the window cuts may break it. " + open[0].Reason
	t.Missing = "How it goes on: judge the next night with --baseline of this one."
	if open[0].cut == "beginning" {
		t.Missing = "When it began: judge with --baseline of the night before, or a trace with rows from before the window."
	}
}

// idle reports whether nothing happened that the audits of a promise are about.
func idle(looked []look) bool {
	return !slices.ContainsFunc(looked, func(l look) bool { return l.Verdict != Idle })
}

// unseen says why the audits of a promise saw nothing.
func unseen(looked []look) string {
	var reasons []string
	for _, o := range looked {
		if o.Reason != "" && !slices.Contains(reasons, o.Reason) {
			reasons = append(reasons, o.Reason)
		}
	}
	if len(reasons) == 0 {
		return "See the outcomes of its audits."
	}
	return sentence(strings.Join(reasons, "; "))
}

// blindness says what keeps the audits of a promise from judging it, if none can;
// and whether one of them judged something.
func blindness(looked []look, states map[string]string) (missing string, seen bool) {
	if len(looked) == 0 {
		return "No audit judges promises of its kind yet.", false
	}
	able := 0
	for _, o := range looked {
		seen = seen || o.Seen > 0
		switch lack := unmet(o.Audit, states); {
		case o.Verdict == Failed:
			missing = fmt.Sprintf("Audit %s failed.", o.Audit.ID)
		case lack != "":
			missing = sentence(lack)
		default:
			able++
		}
	}
	if able > 0 {
		return "", seen
	}
	return missing, seen
}

// lackingTo says what the trace lost that would settle a finding, "" if that is so of none.
func lackingTo(charges []charge) string {
	for i := range charges {
		if charges[i].Lacking != "" {
			return charges[i].Lacking
		}
	}
	return ""
}

// suspicions names the first suspect finding, whose reason says what is open.
func suspicions(charges []charge) string {
	for _, c := range charges {
		if c.verdict == Suspect {
			return fmt.Sprintf("Finding %s says what the log leaves open.", c.ID)
		}
	}
	return ""
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
