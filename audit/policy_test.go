package audit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/input"
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
		"fail_on: [minor]\nfail_off: x":                             `:2:1: the policy has no key "fail_off"; did you mean fail_on?`,
		"no_such_audit: {x: 1}":                                     `:1:1: the policy has no key "no_such_audit"`,
		"strong_guarantee_unmet:\n  sla: 5":                         ":2:3: strong_guarantee_unmet has no key \"sla\"; did you mean sla_s?",
		"strong_guarantee_unmet:\n  sla_s: soon":                    ":2:10: a number of 0 or more is wanted",
		"strong_guarantee_unmet: {sla_s: -5}":                       ":1:33: a number of 0 or more is wanted",
		"strong_guarantee_unmet: 5":                                 ":1:25: strong_guarantee_unmet is a map of sla_s",
		"- a\n- list":                                               ":1:1: the policy is a map of",
		"strong_guarantee_unmet: {sla_s: 5x}":                       ":1:33: a number of 0 or more is wanted",
		"strong_guarantee_unmet: {sla_s: 60 s}":                     ":1:33: a number of 0 or more is wanted",
		"a: &x 5\nmin_coverage: *x":                                 ":2:15: a number of 0 or more is wanted",
		"min_coverage: |\n  0.5x":                                   ":1:15: a number of 0 or more is wanted",
		"GUA-03: {sla: 5}":                                          ":1:10: GUA-03 has no key \"sla\"; did you mean sla_s?",
		"GUA-99: {sla_s: 5}":                                        `:1:1: the policy has no key "GUA-99"; did you mean GUA-0`,
		"GUA-01: {sla_s: 5}":                                        ":1:9: GUA-01 is judged by guarantee_not_granted, which has no threshold",
		"node_over_capacity: {sla_s: 5}":                            ":1:21: node_over_capacity has no threshold",
		"strong_guarantee_unmet: {sla_s: 5}\nGUA-03: {sla_s: 5}":    ":2:17: strong_guarantee_unmet.sla_s is set twice: by strong_guarantee_unmet and by GUA-03",
		"fail_on_unverifiable: prod":                                ":1:23: a list is wanted",
		"fail_on_unverifiable: [[prod]]":                            ":1:24: a text is wanted",
		"min_coverage: 2":                                           ":1:15: 2 is not between 0 and 1",
		"fail_on: [info]":                                           "info never fail",
		"min_ruling_coverage: 0.5":                                  "min_ruling_coverage is called min_check_coverage now",
		"min_decision_coverage: 0.5":                                "min_decision_coverage is called min_check_coverage now",
		"fail_on: [dire]":                                           `unknown severity "dire"; there are critical, major, minor`,
		"slacks: {\n  nap_s: 1}":                                    `slacks has no key "nap_s"; did you mean `,
		"a: b\n---\nc: d":                                           ":3:2: a second document",
		"a: [":                                                      "policy.yaml:1:4: ",
		"suppressions: 5":                                           ":1:15: a list is wanted",
		"suppressions:\n- audit: node_in_two_trees\n  reason: r":    ":2:8: the suppression has no owner",
		"suppressions:\n- {owner: o, reason: r, until: 2026-05-01}": "would cover all findings",
		"suppressions:\n- {owner: o, audit: x, reason: r, until: 2026-05-01}": `no audit matches "x"; poolproof audit --list shows them`,
		cover + "audits: x": ":5:3: a suppression has no key \"audits\"; did you mean audit?",
		strings.Replace(cover, "05-01", "31-12", 1) + "tree: a":                           `invalid day "2026-31-12"`,
		strings.Replace(cover, "05-01", "05-01foo", 1) + "tree: a":                        `invalid day "2026-05-01foo"`,
		sla + "days: mon-fri!\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}":            `:3:9: days: invalid days "mon-fri!"`,
		sla + "days: mon,fri sat\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}":         `:3:13: days: invalid days "fri sat"`,
		sla + "hours: 08:00-20:00 Berlin\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}": `:3:22: hours: unknown time zone "Berlin"`,
		sla + "days: mon-fri": "has no bounds",
		"slas:\n- bounds: {strong_guarantee_unmet: {sla_s: 1}}":               "has no pool",
		sla + "bounds: {strong_guarantee_unmet: {sla: 1}}":                    `has no key "sla"`,
		sla + "days: someday\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}": `invalid days "someday"`,
		sla + "days: someday\n  hours: 8-20\n  bounds: {strong_guarantee_unmet: {sla: 1}}": ":3:9: days: invalid days \"someday\" (want mon-fri or sat,sun)\n" +
			"policy.yaml:4:10: hours: invalid hours \"8-20\" (want 08:00-20:00, or 22:00-06:00 over midnight, several with commas between them, the zone at the end)\n" +
			"policy.yaml:5:37: strong_guarantee_unmet has no key \"sla\"",
		sla + "hours: 8-20\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}":        `invalid hours "8-20"`,
		sla + "hours: 08:00-25:00\n  bounds: {strong_guarantee_unmet: {sla_s: 1}}": "invalid hours",
	} {
		_, err := ReadPolicy("policy.yaml", []byte(text), audits)
		var fault *input.PlaceError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %s", text, err, want)
		}
	}
}

// TestScalarsAreReadWhole: texts in every form that YAML has for them.
func TestScalarsAreReadWhole(t *testing.T) {
	t.Parallel()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	const policy = "suppressions:\n- tree: a\n  owner: o\n  until: !!str 2026-05-01\n  reason: %s\nmin_coverage: &x 0.25\n"
	for text, want := range map[string]string{
		"plain # comment": "plain", "'it''s'": "it's", `"a\tb"`: "a\tb", "|\n    two\n    lines": "two\nlines", ">\n    two\n    lines": "two lines",
		"&r anchored": "anchored", "several\n    lines": "several lines", "5": "5",
	} {
		p, err := ReadPolicy("policy.yaml", fmt.Appendf(nil, policy, text), audits)
		if err != nil || len(p.suppressions) != 1 || p.suppressions[0].Reason != want || p.suppressions[0].Until != "2026-05-01" || p.MinCoverage != 0.25 {
			t.Errorf("%q: %+v, %v", text, p.suppressions, err)
		}
	}
}

// TestRulesNameAudits: the id of a rule stands for all audits that judge it, in thresholds and in
// bounds of SLAs; a suppression by it covers the rule's findings, and no others of the audit.
func TestRulesNameAudits(t *testing.T) {
	t.Parallel()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadPolicy("p", []byte("GUA-03: {sla_s: 60}\nslas: [{pool: a, bounds: {GUA-03: {sla_s: 5}, starving_too_long: {bound_s: 7}}}]\n"+
		"suppressions: [{audit: CNT-01, owner: o, reason: r, until: 2026-05-01}]"), audits)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(p.Params), "map[integral_guarantee_unmet.sla_s:60 strong_guarantee_unmet.sla_s:60]"; got != want {
		t.Errorf("thresholds %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(p.slas[0].bounds), "map[integral_guarantee_unmet.sla_s:5 starving_too_long.bound_s:7 strong_guarantee_unmet.sla_s:5]"; got != want {
		t.Errorf("bounds %s, want %s", got, want)
	}
	for rule, want := range map[string]bool{"CNT-01": true, "LW-03": false} { // operation_started_over_limit judges both
		if got := p.suppressions[0].covers(&Finding{Audit: "operation_started_over_limit", Invariant: rule}, "a"); got != want {
			t.Errorf("a finding about %s is covered: %v", rule, got)
		}
	}
	named := func(patterns ...string) string {
		selected, err := Select(audits, patterns)
		if err != nil {
			return err.Error()
		}
		var ids []string
		for _, a := range selected {
			ids = append(ids, a.ID)
		}
		return strings.Join(ids, " ")
	}
	if got, want := named("GUA-03"), "integral_guarantee_unmet strong_guarantee_unmet"; got != want {
		t.Errorf("GUA-03 selects %s", got)
	}
	if got, want := named("guarantee_unmet"), `no audit matches "guarantee_unmet"; did you mean strong_guarantee_unmet?`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ThresholdsNamed(audits, "GUA-03.sla_s"), "[integral_guarantee_unmet.sla_s strong_guarantee_unmet.sla_s]"; fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, a := range audits { // a word would be both
		if others := auditsOf(audits, a.ID); len(others) != 1 {
			t.Errorf("%s names %d audits", a.ID, len(others))
		}
	}
}

// TestUnverifiablePromisesFailARun: of the pools that the policy names.
func TestUnverifiablePromisesFailARun(t *testing.T) {
	t.Parallel()
	v := Verdict{Promises: []Promise{
		{ID: "1", Tree: "a", Kind: "strong_guarantee", SubjectKind: "pool", Subject: "x", Path: "prod/x", Grade: Unverifiable},
		{ID: "2", Tree: "a", Kind: "resource_limits", SubjectKind: "pool", Subject: "y", Path: "y", Grade: Kept},
		{ID: "3", Tree: "a", Kind: "starvation", SubjectKind: "tree", Subject: "a", Grade: Unverifiable},
	}}
	for patterns, want := range map[string]int{"": 0, "prod": 0, "prod/*": 1, "x": 1, "a/x": 1, "b/x": 0, "y": 0, "**": 1, "x prod/**": 1} {
		v.FailOnUnverified = strings.Fields(patterns)
		if got := len(v.Unverified()); got != want || v.ExitCode() != min(want, 1) {
			t.Errorf("%q: %d promises, exit code %d", patterns, got, v.ExitCode())
		}
	}
	p := Policy{FailOnUnverified: []string{"prod/**", "nosuch"}}
	notices := p.unmatched(poolPaths{"a": {"x": "prod/x"}})
	if len(notices) != 1 || !strings.Contains(notices[0], `"nosuch"`) {
		t.Errorf("%q", notices)
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
		if err != nil && !errors.As(err, new(*input.PlaceError)) {
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
	if err := p.Check(audits); !errors.As(err, new(*UsageError)) {
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
	if bare.ExitCode() != ExitViolated || len(bare.Findings) != 3 {
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

func TestValuesStandInTheQuery(t *testing.T) {
	got := values{"slack_s": 30, "slack": 0.25}.fill("SELECT $slack_s, $slack, $other, regexp_replace(a, ', (b)$', 'c')")
	if want := "SELECT 30::BIGINT, 2.5e-01::DOUBLE, $other, regexp_replace(a, ', (b)$', 'c')"; got != want {
		t.Errorf("the query is %s, want %s", got, want)
	}
}
