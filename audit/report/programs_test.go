package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"poolproof/audit"
)

func written(t *testing.T, write func(io.Writer, *audit.Verdict) error, v *audit.Verdict) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, v); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := write(&again, v); err != nil || again.String() != b.String() {
		t.Error("the same verdict gives other bytes")
	}
	return b.String()
}

func TestCSVIsReadBackAsItWas(t *testing.T) {
	v := fullNight()
	rows, err := csv.NewReader(strings.NewReader(written(t, CSV, v))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(v.Findings)+len(v.Fixed) {
		t.Fatalf("%d rows", len(rows))
	}
	for n, f := range append(slices.Clone(v.Findings), v.Fixed...) {
		row := map[string]string{}
		for i, name := range rows[0] {
			row[name] = rows[n+1][i]
		}
		status := string(f.Status)
		if n >= len(v.Findings) {
			status = "fixed"
		}
		var magnitude, owner string
		if f.Magnitude != nil {
			magnitude = strconv.FormatFloat(*f.Magnitude, 'g', -1, 64)
		}
		if f.Suppressed != nil {
			owner = f.Suppressed.Owner
		}
		for name, want := range map[string]string{"finding_id": f.ID, "status": status, "subject": f.Subject, "reason": f.Reason, "from_time": stamp(f.From),
			"to_time": stamp(f.To), "magnitude": magnitude, "suppressed_by": owner, "incident_id": f.Incident} {
			if row[name] != want {
				t.Errorf("finding %s: %s is %q, want %q", f.ID, name, row[name], want)
			}
		}
		if !json.Valid([]byte(row["evidence"])) {
			t.Errorf("finding %s: evidence %q", f.ID, row["evidence"])
		}
	}
}

func TestJUnitIsXMLThatSaysWhatTheVerdictSays(t *testing.T) {
	v := fullNight()
	v.Outcomes[2].Verdict = audit.Failed // job_without_end in tree gpu
	text := written(t, jUnit, v)
	golden(t, "full.xml", text)
	var all junitSuites
	if err := xml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	if all.Tests != len(v.Outcomes)+1 || all.Failures != 2 || all.Errors != 1 || all.Skipped != 4 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped", all.Tests, all.Failures, all.Errors, all.Skipped)
	}
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			if f := c.Failure; f != nil && c.Name == guarantee.ID && (!strings.Contains(f.Text, "aaaabbbbbbbb") || strings.Contains(f.Text, "dddddddddddd")) {
				t.Errorf("the suppressed finding fails the case, or another does not: %s", f.Text)
			}
		}
	}
}

// A case fails where the run does: only the severities of fail_on count, and the
// coverage that was asked for.
func TestJUnitIsRedWhereTheExitCodeIsNot0(t *testing.T) {
	v := fullNight()
	v.FailOn = []audit.Severity{audit.Minor}
	var all junitSuites
	if err := xml.Unmarshal([]byte(written(t, jUnit, v)), &all); err != nil || all.Failures != 0 || v.ExitCode() != 0 {
		t.Errorf("%d failures, exit code %d, %v", all.Failures, v.ExitCode(), err)
	}
	for name, ask := range map[string]func(*audit.Verdict){
		"audits": func(v *audit.Verdict) { v.MinCoverage = 1 },
		"time":   func(v *audit.Verdict) { v.MinTimeCoverage = 0.75 },
		"checks": func(v *audit.Verdict) { v.MinCheckCoverage = 0.5 },
	} {
		v := fullNight()
		v.FailOn = nil
		ask(v)
		all = junitSuites{}
		if err := xml.Unmarshal([]byte(written(t, jUnit, v)), &all); err != nil || all.Failures != 1 || v.ExitCode() != 3 {
			t.Errorf("%s: %d failures, exit code %d, %v", name, all.Failures, v.ExitCode(), err)
		}
	}
}

// Where fewer than half of the rules could be judged the headline says so, whatever the
// policy asks for; a violation still comes first.
func TestScarceJudgementsAreTheHeadline(t *testing.T) {
	v := brokenNight()
	v.Findings, v.Promises, v.Outcomes, v.Configured = nil, nil, nil, true
	for i, a := range v.Audits {
		o := audit.Outcome{Audit: a, Tree: "main", Verdict: audit.Undecidable}
		if i == 0 {
			o.Verdict, o.Seen, o.SeenUnit = audit.OK, 1, "cases"
		}
		v.Outcomes = append(v.Outcomes, o)
	}
	want := "UNKNOWN: only 1 of the 4 applicable rules could be judged; no violation was found."
	if got := summarize(v).headline(); got != want || v.ExitCode() != 0 {
		t.Errorf("exit code %d, got  %s\nwant %s", v.ExitCode(), got, want)
	}
	v.Outcomes[1] = audit.Outcome{Audit: v.Audits[1], Tree: "main", Verdict: audit.OK, Seen: 1, SeenUnit: "cases"}
	if got := summarize(v).headline(); !strings.HasPrefix(got, "KEPT: ") {
		t.Errorf("half of the rules: %s", got)
	}
	v.Outcomes[1] = audit.Outcome{Audit: v.Audits[1], Tree: "main", Verdict: audit.Undecidable}
	v.Outcomes[0].Verdict = audit.Violated
	v.Findings = []audit.Finding{finding(v.Audits[0], "b", audit.Violated, "Over.", at(1))}
	if s := summarize(v); !strings.HasPrefix(s.headline(), "BROKEN: ") || !slices.Contains(s.First(), "Only 1 of the 4 applicable rules could be judged.") {
		t.Errorf("%s after %v", s.headline(), s.First())
	}
}

// A night of which too little could be judged is not called kept.
func TestTooLittleIsNotKept(t *testing.T) {
	v := brokenNight()
	v.Audits, v.Findings, v.Outcomes = []*audit.Audit{ends, fifo}, nil, v.Outcomes[2:6]
	v.MinCoverage = 0.75
	if got, want := summarize(v).headline(), "UNKNOWN: no violation was found, but too little could be judged (1 of 2 rules)."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := strings.Join(shortfalls(v), "|"), "50 % of the applicable rules could be judged, 75 % were asked for."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What is known of a guarantee stands in the headline, whatever could not be judged; and nothing
// is called kept if no promise was.
func TestTheHeadlineSaysWhatIsKnown(t *testing.T) {
	promise := func(pool string, grade audit.Grade, longest float64) audit.Promise {
		return audit.Promise{Tree: "main", Kind: "strong_guarantee", SubjectKind: "pool", Subject: pool, Path: pool, Grade: grade,
			Tested: 1000, Kept: 1000 - longest, Delivery: below(longest, 1, longest, "")}
	}
	for want, promises := range map[string][]audit.Promise{
		"UNKNOWN: no violation was found, but the one promise that something tested could not be judged; guarantees known to be unmet for longer than is allowed: pool a.": {
			promise("a", audit.Unverifiable, 900)},
		"UNKNOWN: no violation was found, but the one promise that something tested could not be judged.": {promise("a", audit.Unverifiable, 200)},
		"EXCUSED: 0 of the 2 promises that something tested; 2 but for excused time, which was most of the time of pool a.": {
			promise("a", audit.InPart, 900), promise("b", audit.InPart, 400)},
		"KEPT: 1 of the 2 promises that something tested; 1 but for excused time.":                           {promise("a", audit.InPart, 400), promise("b", audit.Kept, 0)},
		"KEPT: all 2 judged rules; 1 promise that no scheduler could keep, of pool a.":                       {promise("a", audit.Impossible, 900)},
		"KEPT: 1 of the 1 promise that something tested; 1 promise that no scheduler could keep, of pool a.": {promise("a", audit.Impossible, 900), promise("b", audit.Kept, 0)},
	} {
		v := brokenNight()
		v.Audits, v.Findings, v.Outcomes, v.Promises = []*audit.Audit{ends, fifo}, nil, v.Outcomes[2:6], promises
		for i := range v.Outcomes {
			v.Outcomes[i].Verdict, v.Outcomes[i].Seen = audit.OK, 1
		}
		v.MinCoverage, v.MinKeptTime = 0.5, 0.5
		if got := summarize(v).headline(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestPrometheusFollowsTheExpositionFormat(t *testing.T) {
	v := fullNight()
	v.Findings[3].Tree, v.Trees = hostile, append(v.Trees, hostile)
	v.Outcomes = append(v.Outcomes, audit.Outcome{Audit: guarantee, Tree: hostile, Verdict: audit.Suspect, Seen: 1, SeenUnit: "pools"})
	text := written(t, prometheus, v)
	golden(t, "full.prom", text)
	help := regexp.MustCompile(`^# HELP (poolproof_[a-z_]+) .+$`)
	sample := regexp.MustCompile(`^(poolproof_[a-z_]+)(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? (-?[0-9.e+-]+)$`)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	metric, seen := "", map[string]bool{}
	for i := 0; i < len(lines); i++ {
		if m := help.FindStringSubmatch(lines[i]); m != nil {
			if metric = m[1]; seen["metric "+metric] {
				t.Errorf("%s is told of twice", metric)
			}
			seen["metric "+metric] = true
			if i++; lines[i] != "# TYPE "+metric+" gauge" {
				t.Errorf("after HELP: %s", lines[i])
			}
			continue
		}
		m := sample.FindStringSubmatch(lines[i])
		if m == nil || m[1] != metric {
			t.Errorf("no sample of %s: %s", metric, lines[i])
			continue
		}
		if _, err := strconv.ParseFloat(m[5], 64); err != nil || seen[m[1]+m[2]] {
			t.Errorf("twice or no number: %s", lines[i])
		}
		seen[m[1]+m[2]] = true
	}
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line has no end")
	}
	for _, want := range []string{
		`poolproof_findings{cluster="hume",audit="strong_guarantee_unmet",tree="main",severity="major",verdict="violated"} 2`,
		`poolproof_findings_suppressed{cluster="hume",audit="strong_guarantee_unmet",tree="main"} 1`,
		`poolproof_findings_magnitude{cluster="hume",audit="strong_guarantee_unmet",tree="main",verdict="violated",unit="share·s"} 12580.75`,
		`poolproof_window_start_timestamp_seconds{cluster="hume"} 1699920000`,
		`poolproof_promises{cluster="hume",tree="main",grade="broken"} 1`,
		`poolproof_findings_compared{cluster="hume",status="fixed"} 1`,
		`poolproof_exit_code{cluster="hume"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}
