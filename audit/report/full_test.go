package report

import (
	"encoding/json"

	"poolproof/audit"
)

// hostile is a name that somebody gave a pool to break a report.
const hostile = "<script>alert(1)</script>\"'\\\n\x1b[31m|`{x=\"y\"} ]]> --"

// fullNight holds everything that a verdict can, hostile names among it.
func fullNight() *audit.Verdict {
	x := 6290.375
	pool := func(id, subject string, verdict audit.Judgement, reason string, from, to int) audit.Finding {
		f := finding(guarantee, id, verdict, reason, at(to))
		f.SubjectKind, f.Subject, f.From, f.Magnitude, f.Unit = "pool", subject, at(from), &x, "share·s"
		f.Evidence = json.RawMessage(`{"gap": 0.5, "resource": "cpu", "pool": "prod"}`)
		return f
	}
	cores, all := 32.0, 1.0
	v := brokenNight()
	v.Outcomes[6] = audit.Outcome{Audit: guarantee, Tree: "gpu", Verdict: audit.Undecidable, SeenUnit: "guaranteed pools", Reason: "no pool has a strong guarantee"}
	v.Outcomes[7] = audit.Outcome{Audit: guarantee, Tree: "main", Verdict: audit.Violated, Seen: 2, SeenUnit: "guaranteed pools", Findings: 4}
	first := pool("aaaaaaaaaaaa", "prod", audit.Violated, "Pool prod was up to 50 % of the tree's cpu below the guarantee that it demanded for 1 h 00 min.", 0, 3600)
	second := pool("aaaabbbbbbbb", "prod", audit.Violated, "Pool prod was up to 25 % of the tree's cpu below the guarantee that it demanded for 2 h 00 min.", 7200, 14400)
	strange := pool("cccccccccccc", hostile, audit.Suspect, "Pool "+hostile+" may have gone without.", 100, 200)
	known := pool("dddddddddddd", "batch", audit.Violated, "Pool batch was below the guarantee that it demanded for 10 min 00 s.", 600, 1200)
	first.Status, second.Status, strange.Status, known.Status = audit.New, audit.Persisting, audit.New, audit.Persisting
	first.Incident, second.Incident = "111111111111", "111111111111"
	known.Suppressed = &audit.Suppression{Owner: "batch team", Reason: "the pool moves out", Until: "2023-12-31"}
	v.Findings = append([]audit.Finding{first, second, known, strange}, v.Findings...)
	gone := pool("eeeeeeeeeeee", "old", audit.Violated, "Pool old went without.", -90_000, -80_000)
	v.Baseline, v.Fixed = &audit.Baseline{Profile: "documented", From: "2023-11-13T00:00:00Z", To: "2023-11-14T00:00:00Z", Trees: []string{"main"},
		Differs: []string{"The baseline does not have tree gpu: what is found there is new for that alone."}}, []audit.Finding{gone}
	v.Incidents = []audit.Incident{{ID: "111111111111", Title: "Pool prod did not get what it was guaranteed, twice.", Audit: guarantee.ID, Tree: "main", CauseKind: "pool", Cause: "prod",
		From: at(0), To: at(14400), Verdict: audit.Violated, Severity: audit.Major, Status: audit.New, Findings: 2,
		Totals: []audit.Amount{{Magnitude: 2 * x, Unit: "share·s"}}, FindingIDs: []string{"aaaaaaaaaaaa", "aaaabbbbbbbb"}}}
	v.Promises = []audit.Promise{
		{ID: "p1", Tree: "main", Kind: "strong_guarantee", SubjectKind: "pool", Subject: "prod", Path: "prod", Statement: "Pool prod gets 64 cores when it demands them.", Grade: audit.Broken, Reason: "It went without twice.", FindingIDs: []string{"aaaaaaaaaaaa"},
			Tested: 43_200, Kept: 32_400, Shortfall: &audit.Shortfall{Text: "prod was up to 32 cores below its guarantee for 1 h 00 min", Magnitude: &cores, Unit: "cores", FindingID: "aaaaaaaaaaaa"},
			Delivery: below(10_800, 3, 7200, "others used more than their fair share for only 4 min 00 s of it (30 min 00 s)")},
		{ID: "p2", Tree: "main", Kind: "strong_guarantee", SubjectKind: "pool", Subject: hostile, Path: "a/" + hostile, Statement: "Pool " + hostile + " gets 1 GPU.", Grade: audit.Impossible, Reason: "The tree has none."},
		{ID: "p3", Tree: "gpu", Kind: "max_running_operation_count", SubjectKind: "pool", Subject: "q", Path: "q", Statement: "Pool q runs at most 2 operations.", Grade: audit.Unverifiable, Reason: "The log does not record what waited.", Missing: "Operation states would tell."},
		{ID: "p4", Tree: "main", Kind: "strong_guarantee", SubjectKind: "pool", Subject: "calm", Path: "calm", Statement: "Pool calm gets 1 core.", Grade: audit.Vacuous, Reason: "It never asked."},
		{ID: "p5", Tree: "main", Kind: "resource_limits", SubjectKind: "pool", Subject: "batch", Path: "batch", Statement: "Pool batch uses at most 112 cores.", Grade: audit.Kept, Reason: "It never did."},
		{ID: "p6", Tree: "main", Kind: "strong_guarantee", SubjectKind: "pool", Subject: "short", Path: "short", Statement: "Pool short gets 1 core.", Grade: audit.Kept, Reason: "Tested and not broken.", Tested: 3600, Kept: 1800,
			Delivery: below(1800, 12, 240, "")},
		{ID: "p7", Tree: "main", Kind: "relaxed_guarantee", SubjectKind: "pool", Subject: "ramp", Path: "ramp", Statement: "Pool ramp gets a flow of 1 core.", Grade: audit.Kept, Reason: "Tested and not broken.", Tested: 3600, Kept: 3590,
			Delivery: below(10, 2, 6, "")},
	}
	v.Baseline.Scorecard = []audit.Score{
		{Tree: "main", SubjectKind: "pool", Subject: "prod", Path: "prod", Kind: "strong_guarantee", Grade: audit.Kept, Tested: 1000, Kept: 1000, Part: &all},
		{Tree: "main", SubjectKind: "pool", Subject: "calm", Path: "calm", Kind: "strong_guarantee", Grade: audit.Vacuous},
		{Tree: "main", SubjectKind: "pool", Subject: "batch", Path: "batch", Kind: "resource_limits", Grade: audit.Broken},
	}
	v.TreeCoverage = []audit.TreeCoverage{{Tree: "gpu", Seconds: 86400, Reason: "the log has no nodes"}, {Tree: "main", Seconds: 86400, JudgedSeconds: 43200, Checks: 200, JudgedChecks: 50}}
	v.ShareAgreement = &audit.ShareAgreement{Records: 41_233, Lacking: 1_000, Missing: "configuration_change", Decades: []audit.ShareDecade{{Decade: -15, Records: 41_200}, {Decade: -2, Records: 33}},
		Worst: &audit.WorstShare{Error: 0.00512, Tree: "main", SubjectKind: "pool", Subject: hostile, Time: *at(7200)}}
	v.DeficitAgreement = &audit.DeficitAgreement{Reports: 8_120, Lacking: 12, Missing: "frequent_records", Within: 8_071, Worst: &audit.WorstDeficit{Error: 0.125, Tree: "main", Operation: hostile, Time: *at(7200)}}
	v.Notices = []string{"The suppression of batch ends on 2023-12-31."}
	v.FailOn, v.MinCoverage = []audit.Severity{audit.Critical, audit.Major, audit.Minor}, 0.25
	v.Cluster = "hume"
	v.Params = map[string]float64{"strong_guarantee_unmet.sla_s": 300}
	return v
}

// below is what a pool lacked of its guarantee in a time of so many seconds.
func below(seconds float64, episodes int, longest float64, excuse string) *audit.Delivery {
	allowed, lacked, most := 300.0, seconds/3600*16, 32.0
	d := &audit.Delivery{Below: seconds, Episodes: episodes, Longest: longest, Allowed: &allowed, Share: seconds / 4, Lacked: &lacked, Unit: "core·h", Most: &most, MostUnit: "cores", Excuse: excuse}
	if excuse != "" {
		d.Excused = 1800
	}
	return d
}
