package audit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay/tables"
)

func readPolicy(t *testing.T, text string) *Policy {
	t.Helper()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadPolicy("policy.yaml", []byte(text), audits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTheExampleShowsEveryKeyWithItsDefault: what help shows is what holds.
func TestTheExampleShowsEveryKeyWithItsDefault(t *testing.T) {
	t.Parallel()
	p := readPolicy(t, PolicyExample)
	audits, _ := ReadAudits(queries.Files)
	for _, k := range (&policyReader{policy: NewPolicy()}).topKeys() {
		if !strings.Contains(PolicyExample, "\n"+k.name+":") {
			t.Errorf("the example does not show %s", k.name)
		}
	}
	got, err := p.values(audits)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := NewPolicy().values(audits)
	if d := cmp.Diff(byName(audits, want), byName(audits, got)); d != "" {
		t.Errorf("the example's thresholds are not the defaults:\n%s", d)
	}
	if d := cmp.Diff(NewPolicy().FailOn, p.FailOn); d != "" || p.MinCoverage != NewPolicy().MinCoverage || p.IncidentGap != NewPolicy().IncidentGap {
		t.Errorf("the example is not the default: %s %+v", d, p)
	}
	if len(p.slas) != 1 || len(p.suppressions) != 1 {
		t.Errorf("%d SLAs and %d suppressions", len(p.slas), len(p.suppressions))
	}
	if empty := readPolicy(t, "# nothing\n"); len(empty.FailOn) != 3 {
		t.Errorf("an empty policy is %+v", empty)
	}
}

func TestAPolicyNamesItsFaults(t *testing.T) {
	t.Parallel()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	const sla, cover = "slas:\n- pool: p\n  ", "suppressions:\n- owner: o\n  reason: r\n  until: 2026-05-01\n  "
	for text, want := range map[string]string{
		"fail_on: [minor]\nfail_off: x":          `:2: the policy has no key "fail_off"; did you mean fail_on?`,
		"no_such_audit: {x: 1}":                  `:1: the policy has no key "no_such_audit"`,
		"strong_guarantee_unmet:\n  sla: 5":      ":2: strong_guarantee_unmet has no key \"sla\"; did you mean sla_s?",
		"strong_guarantee_unmet:\n  sla_s: soon": ":2: a number of 0 or more is wanted",
		"strong_guarantee_unmet: {sla_s: -5}":    ":1: a number of 0 or more is wanted",
		"strong_guarantee_unmet: 5":              ":1: strong_guarantee_unmet is a map of sla_s",
		"- a\n- list":                            ":1: the policy is a map of",
		"min_coverage: 2":                        ":1: 2 is not between 0 and 1",
		"fail_on: [info]":                        "info never fail",
		"min_ruling_coverage: 0.5":               "min_ruling_coverage is called min_check_coverage now",
		"min_decision_coverage: 0.5":             "min_decision_coverage is called min_check_coverage now",
		"fail_on: [dire]":                        `"dire" is no severity; there are critical, major, minor`,
		"slacks: {\n  nap_s: 1}":                 `slacks has no key "nap_s"; did you mean `,
		"a: b\n---\nc: d":                        ":3: a second document",
		"a: [":                                   "policy.yaml:1: ",
		"suppressions: 5":                        ":1: a list is wanted",
		"suppressions:\n- audit: node_in_two_trees\n  reason: r":              ":2: the suppression has no owner",
		"suppressions:\n- {owner: o, reason: r, until: 2026-05-01}":           "would cover all findings",
		"suppressions:\n- {owner: o, audit: x, reason: r, until: 2026-05-01}": `no audit matches "x"; there are `,
		cover + "audits: x": ":5: a suppression has no key \"audits\"; did you mean audit?",
		strings.Replace(cover, "05-01", "31-12", 1) + "tree: a": `"2026-31-12" is no day`,
		sla + "days: mon-fri": "has no bounds",
		"slas:\n- bounds: {strong_guarantee_unmet: {sla_s: 1}}":               "has no pool",
		sla + "bounds: {strong_guarantee_unmet: {sla: 1}}":                    `has no key "sla"`,
		sla + "days: someday\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}": `"someday" is no day`,
		sla + "days: someday\n  hours: 8-20\n  bounds: {strong_guarantee_unmet: {sla: 1}}": ":3: days: \"someday\" is no day and no range of days: write mon-fri or sat,sun\n" +
			"policy.yaml:4: hours: \"8-20\" is no span of a day: write 08:00-20:00, or 22:00-06:00 over midnight\n" +
			"policy.yaml:5: strong_guarantee_unmet has no key \"sla\"",
		sla + "hours: 8-20\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}":        `"8-20" is no span of a day`,
		sla + "hours: 08:00-25:00\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}": "is no span of a day",
	} {
		_, err := ReadPolicy("policy.yaml", []byte(text), audits)
		var fault *PolicyError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %s", text, err, want)
		}
	}
}

func FuzzReadPolicy(f *testing.F) {
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(PolicyExample)
	f.Add("slas: [{pool: '**', hours: 22:00-06:00}]")
	f.Add("&a [*a, !!x y, {<<: *a}]")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadPolicy("p", []byte(text), audits)
		if err == nil {
			_, err = p.values(audits)
		}
		if err != nil && !errors.As(err, new(*PolicyError)) {
			t.Error(err)
		}
	})
}

// TestThresholdsOfAPolicy: an audit's own threshold goes before a slack, and a
// slack before the default.
func TestThresholdsOfAPolicy(t *testing.T) {
	t.Parallel()
	audits, _ := ReadAudits(queries.Files)
	p := readPolicy(t, "slacks: {use_s: 30, eps: 0.5}\npool_over_resource_limits: {use_s: 20}\n")
	values, err := p.values(audits)
	if err != nil {
		t.Fatal(err)
	}
	got := byName(audits, values)
	for name, want := range map[string]float64{
		"pool_over_resource_limits.use_s": 20, "operation_over_resource_limits.use_s": 30,
		"fair_share_over_demand.eps": 0.5, "strong_guarantee_unmet.sla_s": 300,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	p.Params["strong_guarantee_unmet.sla"] = "5"
	if err := p.Check(audits); !errors.As(err, new(*ParamError)) {
		t.Errorf("a flag without an audit: %v", err)
	}
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, yes, no string
	}{
		{"prod", "prod", "prod/a product"},
		{"prod/*", "prod/a", "prod prod/a/b"},
		{"prod/**", "prod prod/a prod/a/b", "product reprod"},
		{"**/ads", "ads prod/ads a/b/ads", "prod/ads/x bads"},
		{"**", "prod a/b", ""},
		{"a?c", "abc aéc", "a/c ac abcd"},
		{"a.c[1]", "a.c[1]", "abc1 a.c1"},
		{"rack17-*", "rack17-1 rack17-", "rack1-17 rack17-1/x"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "a/xb ab"},
	} {
		g := newGlob(c.pattern)
		for _, s := range strings.Fields(c.yes) {
			if !g.matches(s) {
				t.Errorf("%s does not match %s", c.pattern, s)
			}
		}
		for _, s := range strings.Fields(c.no) {
			if g.matches(s) {
				t.Errorf("%s matches %s", c.pattern, s)
			}
		}
	}
}

// policyOf reads a policy.
func policyOf(t testing.TB, text string) *Policy {
	t.Helper()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadPolicy("policy.yaml", []byte(text), audits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// judgeBy runs the named audits alone by a policy.
func (r *testRun) judgeBy(policy string, named ...string) *Verdict {
	r.t.Helper()
	return r.judgeWith(Options{Queries: about(r.t, named...), Only: named, FindingsAlone: true, Policy: policyOf(r.t, policy)})
}

// gradedBy does so and grades the promises that they judge.
func (r *testRun) gradedBy(policy string, named ...string) *Verdict {
	r.t.Helper()
	return r.judgeWith(Options{Queries: about(r.t, named...), Only: named, Policy: policyOf(r.t, policy)})
}

// overNightAudits find what overNight has, and look for what no log of one tree
// can have.
var overNightAudits = []string{"node_over_capacity", "pool_over_operation_count", "node_in_two_trees"}

// overNight is a run with three violations: a node and two pools.
func overNight(t *testing.T) *testRun {
	r := newTestRun(t)
	r.manifest.From, r.manifest.To = "2023-11-14T00:00:00Z", "2023-11-15T00:00:00Z"
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0, Path: "corp/prod"}, tables.Pool{Pool: 1, Path: "corp/batch"})
	put(r, "a", nodeOver(0, resource.CPU, tables.CauseJobStarted),
		poolOver(0, tables.MaxOperationCount, tables.CauseOperation), poolOver(1, tables.MaxOperationCount, tables.CauseOperation))
	return r
}

func suppressedSubjects(v *Verdict) string {
	var names []string
	for _, f := range v.Findings {
		if f.Suppressed != nil {
			names = append(names, f.Subject+":"+f.Suppressed.Owner)
		}
	}
	return strings.Join(names, " ")
}

func TestSuppressions(t *testing.T) {
	t.Parallel()
	r := overNight(t)
	bare := r.gradedBy("", overNightAudits...)
	if bare.ExitCode() != exitViolated || len(bare.Findings) != 3 {
		t.Fatalf("%+v", bare.Findings)
	}
	entry := func(selector, until string) string {
		return fmt.Sprintf("- {%s, owner: o, reason: r, until: %s}\n", selector, until)
	}
	for name, c := range map[string]struct {
		entries  string
		covered  string
		notice   string
		exitCode int
	}{
		"by path":                  {entry("pool: corp/*", "2023-11-14"), "batch:o prod:o", "", 1},
		"one pool by path":         {entry("pool: corp/prod", "2023-11-14"), "prod:o", "", 1},
		"one pool by name":         {entry("pool: prod", "2023-11-14"), "prod:o", "", 1},
		"by tree and path":         {entry("pool: a/corp/*", "2023-11-14"), "batch:o prod:o", "", 1},
		"by tree and name":         {entry("pool: a/batch", "2023-11-14"), "batch:o", "", 1},
		"subject by tree and name": {entry("subject: a/batch", "2023-11-14"), "batch:o", "", 1},
		"subject by path":          {entry("subject: corp/batch", "2023-11-14"), "batch:o", "", 1},
		"of no tree":               {entry("pool: b/corp/*", "2023-11-14"), "", "line 2 (o: r) covers nothing", 1},
		"a pattern is no name":     {entry("pool: pro*", "2023-11-14"), "", "line 2 (o: r) covers nothing", 1},
		"by subject and audit":     {entry("audit: node_*, subject: node*", "2024-01-01"), "node1:o", "", 1},
		"another tree":             {entry("tree: b", "2024-01-01"), "", "covers nothing", 1},
		"by fingerprint":           {entry("finding: "+bare.Findings[0].Fingerprint, "2024-01-01"), "node1:o", "", 1},
		"by id":                    {entry("finding: "+bare.Findings[0].ID, "2024-01-01"), "node1:o", "", 1},
		"all of them":              {entry("tree: a", "2023-11-14"), "node1:o batch:o prod:o", "", 0},
		"expired the day before":   {entry("tree: a", "2023-11-13"), "", "expired on 2023-11-13: of its 3 findings 3 fail the run again", 1},
		"expired and of no use":    {entry("tree: b", "2023-11-13"), "", "would cover nothing", 1},
		"the second is of no use":  {entry("tree: a", "2023-11-14") + entry("pool: corp/*", "2023-11-14"), "node1:o batch:o prod:o", "line 3 (o: r) covers only what an earlier one covers", 0},
	} {
		v := r.judgeBy("suppressions:\n"+c.entries, overNightAudits...)
		if got := suppressedSubjects(v); got != c.covered {
			t.Errorf("%s: suppressed %q, want %q", name, got, c.covered)
		}
		if len(v.Findings) != 3 || v.ExitCode() != c.exitCode {
			t.Errorf("%s: %d findings, exit code %d", name, len(v.Findings), v.ExitCode())
		}
		if got := notices(v); (got == "") != (c.notice == "") || !strings.Contains(got, c.notice) {
			t.Errorf("%s: notices %q", name, got)
		}
	}
	v := r.judgeBy("suppressions:\n"+entry("pool: corp/prod", "2023-11-14"), overNightAudits...)
	if o := v.outcome("pool_over_operation_count", "a"); o.Verdict != Violated {
		t.Errorf("with one of two suppressed %+v", o)
	}
	if o := r.judgeBy("suppressions:\n"+entry("pool: corp/*", "2023-11-14"), overNightAudits...).outcome("pool_over_operation_count", "a"); o.Verdict != Excused {
		t.Errorf("with both suppressed %+v", o)
	}
	r.judgeWith(Options{Queries: about(t, overNightAudits...), Policy: policyOf(t, "suppressions:\n"+entry("pool: corp/prod", "2023-11-14"))})
	if got := r.query("SELECT subject, suppressed_by, suppressed_until, suppressed_reason FROM findings WHERE suppressed_by IS NOT NULL"); got != "prod,o,2023-11-14,r" {
		t.Error(got)
	}
}

func TestSeveritiesThatFail(t *testing.T) {
	t.Parallel()
	r := overNight(t)
	for policy, want := range map[string]int{
		"fail_on: [critical]": 1, "fail_on: [major]": 0, "fail_on: [minor]": 1, "fail_on: []": 0,
		"fail_on: []\nmin_coverage: 1": 0, // of one tree nobody can ask whether nodes are in two
	} {
		if got := r.gradedBy(policy, overNightAudits...).ExitCode(); got != want {
			t.Errorf("%s: exit code %d, want %d", policy, got, want)
		}
	}
	r.addTree("b", whole("heartbeats", "none"))
	if got := r.gradedBy("fail_on: []\nmin_coverage: 1", append(overNightAudits, "heartbeats_out_of_order")...).ExitCode(); got != 3 {
		t.Errorf("with a gap of the log: exit code %d", got)
	}
}

// TestSLAsOfPools: one pool has a bound and hours of its own.
func TestSLAsOfPools(t *testing.T) {
	t.Parallel()
	unmet := func(pool core.PoolID, from, seconds, withheld int) tables.GuaranteeEpisode {
		return tables.GuaranteeEpisode{Pool: pool, FromTime: at(from), ToTime: at(from + seconds), Resource: resource.CPU, Guarantee: 0.5, Demand: 0.8,
			Gap: 0.3, GapTime: at(from), Owed: int64(seconds) * 5e8, Others: int64(withheld) * 1e6, Withheld: int64(withheld) * 1e6, Preemptible: int64(withheld) * 1e6, PreemptibleFrom: core.Some(at(from)), SurelyPreemptible: int64(withheld) * 1e6, SurelyPreemptibleFrom: core.Some(at(from))}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0, Path: "corp/prod"}, tables.Pool{Pool: 1, Path: "batch"})
	// The tests' day begins on Tuesday 2023-11-14, 22:13:20 UTC.
	put(r, "a", unmet(0, 0, 200, 200), unmet(1, 0, 200, 200), unmet(0, 10_000, 400, 400))
	const bound = "slas:\n- pool: corp/**\n  bounds: {strong_guarantee_unmet: {sla_s: 100}}\n"
	for name, c := range map[string]struct{ policy, want string }{
		"no SLA":         {"", "violated 10000"},
		"its own bound":  {bound, "violated 10000\nviolated 0"},
		"in hours":       {bound + "  hours: 22:00-23:00\n", "violated 0\nexcused 10000"},
		"over midnight":  {bound + "  hours: 23:30-02:00\n", "violated 10000\nexcused 0"},
		"on its day":     {bound + "  days: tue\n", "violated 0\nexcused 10000"},
		"on the next":    {bound + "  days: wed-mon\n", "violated 10000\nexcused 0"},
		"by its tree":    {strings.Replace(bound, "corp/**", "a/corp/**", 1), "violated 10000\nviolated 0"},
		"by its name":    {strings.Replace(bound, "corp/**", "a/prod", 1), "violated 10000\nviolated 0"},
		"another's SLA":  {strings.Replace(bound, "corp", "other", 1), "violated 10000"},
		"the first wins": {strings.Replace(bound, "100", "1000", 1) + strings.Replace(bound, "slas:\n", "", 1), ""},
		// 22:13:20 to 22:16:40: 180 s from 22:13:40 on, 170 s to 22:16:10.
		"some of it outside": {bound + "  hours: 22:14-23:00\n", "violated 0\nexcused 10000"},
		"most of it outside": {bound + "  hours: 22:15-23:00\n", "excused 10000\nexcused 0"},
	} {
		v := r.judgeBy(c.policy, "strong_guarantee_unmet")
		var got []string
		for _, f := range v.Findings {
			if f.Audit == "strong_guarantee_unmet" {
				got = append(got, fmt.Sprintf("%s %d", f.Verdict, f.From.Unix()-1_700_000_000))
			}
		}
		if g := strings.Join(got, "\n"); g != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, g, c.want)
		}
		if missed := notices(v) != ""; missed != (name == "another's SLA" || name == "the first wins") {
			t.Errorf("%s: notices %q", name, v.Notices)
		}
	}
	// 200 s long, of which 160 lie in the hours, and others held it for the first 150:
	// 110 of them do so, and of the rest nobody knows.
	put(r, "a", unmet(0, 0, 200, 150))
	for bound, want := range map[string]Judgement{"105": Violated, "120": Suspect, "155": Excused, "165": Excused} {
		v := r.judgeBy("slas:\n- {pool: corp/prod, hours: 22:14-23:00, bounds: {strong_guarantee_unmet: {sla_s: "+bound+"}}}\n", "strong_guarantee_unmet")
		if len(v.Findings) != 1 || v.Findings[0].Verdict != want {
			t.Errorf("bound %s: %+v", bound, v.Findings)
		}
	}
}

// TestOtherAuditsAreExcusedOutsideOfHours: an audit that knows nothing of hours.
func TestOtherAuditsAreExcusedOutsideOfHours(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0, Path: "corp/prod"}, tables.Pool{Pool: 1, Path: "batch"})
	put(r, "a", poolOver(0, tables.ResourceLimits, tables.CauseJobStarted), poolOver(1, tables.ResourceLimits, tables.CauseJobStarted))
	const sla = "slas:\n- {pool: corp/prod, bounds: {pool_over_resource_limits: {use_s: 10}}, hours: %s}\n"
	for hours, want := range map[string]string{
		"23:00-24:00": "violated a pool batch cpu 2.5 cores\nviolated a pool prod cpu 2.5 cores",
		"01:00-22:00": "violated a pool batch cpu 2.5 cores\nexcused a pool prod cpu 2.5 cores",
	} {
		v := r.judgeBy(fmt.Sprintf(sla, hours), "pool_over_resource_limits")
		if got := v.found("pool_over_resource_limits"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", hours, got, want)
		}
	}
}

// TestSLASeconds: the macro against a count of seconds, hour by hour over ten
// days.
func TestSLASeconds(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.makeDatabase()
	for _, c := range [][2]string{{"mon-sun", "00:00-24:00"}, {"mon-fri", "08:00-20:00"}, {"sun", "22:00-06:00"}, {"sat,mon", "23:30-23:45"}, {"tue", "12:00-11:00"}} {
		s := sla{}
		var err error
		if s.days, err = parseDays(c[0]); err != nil {
			t.Fatal(err)
		}
		if s.from, s.to, err = parseHours(c[1]); err != nil {
			t.Fatal(err)
		}
		days := strings.ReplaceAll(fmt.Sprint(s.days), " ", ", ")
		got := r.query(fmt.Sprintf(`SELECT string_agg(internal.sla_seconds(TIMESTAMP '2026-05-01 03:20:00' + INTERVAL 17 MINUTE * i, TIMESTAMP '2026-05-01 03:20:00' + INTERVAL 17 MINUTE * (i + 1),
			%s, %d, %d)::BIGINT, ' ' ORDER BY i) FROM range(850) AS r(i)`, days, s.from, s.to))
		begin := time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC)
		var want []string
		for i := range 850 {
			n := 0
			for m := range 17 {
				n += 60 * s.holds(begin.Add(time.Duration(17*i+m)*time.Minute))
			}
			want = append(want, fmt.Sprint(n))
		}
		if d := cmp.Diff(strings.Join(want, " "), got); d != "" {
			t.Errorf("%v: %s", c, d)
		}
		for i, n := range want {
			from := begin.Add(time.Duration(17*i) * time.Minute)
			to := from.Add(17 * time.Minute)
			if s.overlaps(from, &to) != (n != "0") {
				t.Errorf("%v: overlaps(%v) is not what %s seconds say", c, from, n)
			}
		}
	}
}

// holds is 1 if the SLA holds in the minute that begins at t.
func (s *sla) holds(t time.Time) int {
	second := t.Hour()*3600 + t.Minute()*60
	today := (int(t.Weekday()) + 6) % 7
	if s.days[today] && s.from <= second && second < s.to || s.days[(today+6)%7] && second+daySeconds < s.to {
		return 1
	}
	return 0
}

func TestValuesStandInTheQuery(t *testing.T) {
	got := values{"slack_s": 30, "slack": 0.25}.fill("SELECT $slack_s, $slack, $other, regexp_replace(a, ', (b)$', 'c')")
	if want := "SELECT 30::BIGINT, 2.5e-01::DOUBLE, $other, regexp_replace(a, ', (b)$', 'c')"; got != want {
		t.Errorf("the query is %s, want %s", got, want)
	}
}
