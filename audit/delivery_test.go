package audit

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// delivered is a term of a strong guarantee that may be unmet for 5 minutes, with its shortfalls.
func delivered(shortfalls ...shortfall) *promiseTerm {
	allowed := 300.0
	promise := Promise{Tree: "t", Kind: "strong_guarantee", SubjectKind: "pool", Subject: "a", Path: "a"}
	return &promiseTerm{Promise: promise, allowed: &allowed, shortfalls: shortfalls}
}

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// lackingCores is a span of whole seconds from noon on without two cores of a tree of eight.
func lackingCores(from, to int, excuse string) shortfall {
	at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	l := shortfall{stretch: stretch{at(from), at(to)}, unit: sql.NullString{String: "cores", Valid: true}}
	seconds := float64(to - from)
	l.share, l.most = seconds/4, sql.NullFloat64{Float64: 2, Valid: true}
	l.amount = sql.NullFloat64{Float64: 2 * seconds, Valid: true}
	l.excuse = sql.NullString{String: excuse, Valid: excuse != ""}
	return l
}

// noHours are those of a policy without SLAs.
func noHours(string, string, string) *sla { return nil }

// A cut between two unmet spans is one stretch with them, and short stretches add up.
func TestDeliveriesAddUp(t *testing.T) {
	t.Parallel()
	float := func(x float64) *float64 { return &x }
	for name, c := range map[string]struct {
		term *promiseTerm
		want Delivery
		text string
	}{
		"nothing lacking": {delivered(), Delivery{Allowed: float(300)}, ""},
		"short ones": {delivered(lackingCores(0, 240, ""), lackingCores(400, 640, "")),
			Delivery{Below: 480, Episodes: 2, Longest: 240, Allowed: float(300), Share: 120,
				Lacked: float(960. / 3600), Unit: "core·h", Most: float(2), MostUnit: "cores"},
			"8 min 00 s of 16 min 40 s in 2 stretches, 4 min 00 s at most where 5 min 00 s are allowed; lacked 0.27 core·h, 2 cores on average"},
		"a cut between unmet ones": {
			delivered(lackingCores(0, 100, ""), lackingCores(100, 500, "nodes had left"), lackingCores(500, 510, "")),
			Delivery{Below: 510, Episodes: 1, Longest: 510, Allowed: float(300), Share: 127.5,
				Lacked: float(1020. / 3600), Unit: "core·h", Most: float(2), MostUnit: "cores",
				Excused: 400, Excuse: "nodes had left (6 min 40 s)"},
			"8 min 30 s of 16 min 40 s in 1 stretch where 5 min 00 s are allowed; lacked 0.28 core·h, 2 cores on average"},
	} {
		d := c.term.delivery(c.term.shortage(nil, noHours))
		if diff := cmp.Diff(&c.want, d); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := d.Text(1000); got != c.text {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A stretch has its whole length in each version of the guarantee that it meets, so that no
// change of the settings cuts it in two that are short enough.
func TestAChangeOfTheGuaranteeCutsNoStretch(t *testing.T) {
	t.Parallel()
	change := noon.Add(200 * time.Second)
	before, after := delivered(lackingCores(0, 400, "")), delivered(lackingCores(0, 400, ""))
	before.To, after.From = &change, &change
	first, second := before.delivery(before.shortage(nil, noHours)), after.delivery(after.shortage(nil, noHours))
	whole := first.TooLong() && second.TooLong() && first.Below == 200 && second.Below == 200
	if !whole || first.Episodes != 1 || second.Episodes != 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
	sum := first.plus(second)
	if sum.Below != 400 || sum.Longest != 400 || sum.Episodes != 1 || *sum.Lacked != 800./3600 || sum.Share != 100 {
		t.Errorf("%+v", sum)
	}
}

// In the hours of an SLA alone something is lacking.
func TestDeliveriesGoByTheHoursOfAnSLA(t *testing.T) {
	t.Parallel()
	policy := readPolicy(t, "slas:\n- {pool: a, hours: 12:05-20:00, bounds: {strong_guarantee_unmet: {sla_s: 300}}}\n")
	hours := policy.heldHours(poolPaths{"t": {"a": "a"}})
	term := delivered(lackingCores(0, 540, ""))
	if d := term.delivery(term.shortage(nil, hours)); d.Below != 240 || d.Longest != 240 || d.Share != 60 || d.TooLong() {
		t.Errorf("%+v", d)
	}
}

// What is known of a guarantee is said whatever else cannot be judged, and what was unmet for too
// long is not kept. Each case is a way in which that ended as unverifiable, or as kept.
func TestWhatIsKnownIsGraded(t *testing.T) {
	t.Parallel()
	outcome := func(verdict Judgement, seen int64) look {
		o := &Outcome{Audit: &Audit{ID: "strong_guarantee_unmet"}, Verdict: verdict, Seen: seen}
		from, to := noon, noon.Add(1000*time.Second)
		return look{Outcome: o, spans: []testedSpan{{tree: "t", subject: "a", from: &from, to: &to}}}
	}
	finding := func(verdict Judgement) charge {
		from, to := noon, noon.Add(900*time.Second)
		f := &Finding{ID: "1", Audit: "strong_guarantee_unmet", From: &from, To: &to, Excuse: "no room"}
		return charge{Finding: f, subject: "a", verdict: verdict}
	}
	long, cut := lackingCores(0, 900, ""), lackingCores(0, 900, "nodes had left")
	for name, c := range map[string]struct {
		shortfalls []shortfall
		charges    []charge
		looked     look
		grade      Grade
		reason     string
	}{
		"excused for most of the time":  {[]shortfall{long}, []charge{finding(Excused)}, outcome(Excused, 1), InPart, "Kept for 1 min 40 s of the 16 min 40 s that tested it."},
		"cut, and nothing found":        {[]shortfall{cut}, nil, outcome(OK, 1), InPart, "nodes had left (15 min 00 s)"},
		"cut, and nothing seen":         {[]shortfall{cut}, nil, outcome(Idle, 0), InPart, "nodes had left"},
		"cut, and nothing judged":       {[]shortfall{cut}, nil, outcome(Undecidable, 0), InPart, "nodes had left"},
		"cut for no longer than may be": {[]shortfall{lackingCores(0, 300, "nodes had left")}, nil, outcome(OK, 1), Kept, "Tested and not broken."},
		"suspect":                       {[]shortfall{long}, []charge{finding(Suspect)}, outcome(Suspect, 1), Unverifiable, "It is known that it was unmet for 15 min 00 s"},
		"without a finding":             {[]shortfall{long}, nil, outcome(Undecidable, 1), Unverifiable, "It is known that it was unmet for 15 min 00 s"},
		"short ones all the time": {[]shortfall{lackingCores(0, 250, ""), lackingCores(251, 500, ""), lackingCores(501, 750, "")},
			nil, outcome(OK, 1), Kept, "Below it for 12 min 28 s of 16 min 40 s in 3 stretches"},
	} {
		term := delivered(c.shortfalls...)
		term.grade(c.charges, []look{c.looked}, nil, noHours)
		if term.Grade != c.grade || !strings.Contains(term.Reason, c.reason) {
			t.Errorf("%s: %s %s", name, term.Grade, term.Reason)
		}
		if below := term.Delivery.Below; term.Kept > term.Tested-below+1e-9 {
			t.Errorf("%s: kept %v of %v with %v below", name, term.Kept, term.Tested, below)
		}
	}
}
