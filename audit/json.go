package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// FindingsVersion is the version of the format of findings.json. It goes up when
// a key changes its meaning or goes away; new keys leave it.
const FindingsVersion = 8

// A findingsFile is the content of findings.json, explained in FINDINGS.md.
type findingsFile struct {
	SchemaVersion    int                `json:"schema_version"`
	Cluster          string             `json:"cluster"`
	Profile          string             `json:"profile"`
	From             string             `json:"from"`
	To               string             `json:"to"`
	Trees            []string           `json:"trees"`
	Baseline         *Baseline          `json:"baseline"`
	Coverage         float64            `json:"coverage"`
	MinCoverage      float64            `json:"min_coverage"`
	MinTime          float64            `json:"min_time_coverage"`
	MinChecks        float64            `json:"min_check_coverage"`
	MinKept          float64            `json:"min_kept_time"`
	FailOn           []Severity         `json:"fail_on"`
	FailOnLogDamage  bool               `json:"fail_on_log_damage"`
	FailOnUnverified []string           `json:"fail_on_unverifiable"`
	ExitCode         int                `json:"exit_code"`
	Configured       bool               `json:"configured"`
	Params           map[string]float64 `json:"params"`
	Notices          []string           `json:"notices"`
	LostRows         []tables.LostRows  `json:"lost_rows"`
	PolicyFaults     []string           `json:"policy_faults"`
	TreeCoverage     []TreeCoverage     `json:"tree_coverage"`
	Agreement        *ShareAgreement    `json:"share_agreement"`
	Deficits         *DeficitAgreement  `json:"deficit_agreement"`
	Audits           []auditJSON        `json:"audits"`
	Outcomes         []outcomeJSON      `json:"outcomes"`
	Incidents        []Incident         `json:"incidents"`
	Promises         []Promise          `json:"promises"`
	Scorecard        []Score            `json:"scorecard"`
	Findings         []Finding          `json:"findings"`
	Fixed            []Finding          `json:"fixed"`
	Open             []OpenEpisode      `json:"open_episodes"`
}

type auditJSON struct {
	Audit      string   `json:"audit"`
	Title      string   `json:"title"`
	Statement  string   `json:"statement"`
	Why        string   `json:"why"`
	Invariants []string `json:"invariants"`
	Judges     []string `json:"judges"`
	Breaks     []string `json:"breaks"`
	Severity   Severity `json:"severity"`
	Concerns   string   `json:"concerns"`
}

type outcomeJSON struct {
	Audit    string    `json:"audit"`
	Tree     string    `json:"tree"`
	Verdict  Judgement `json:"verdict"`
	Seen     int64     `json:"seen"`
	SeenUnit string    `json:"seen_unit"`
	Findings int       `json:"findings"`
	Reason   string    `json:"reason"`
}

// JSON is the verdict as findings.json holds it.
func (v *Verdict) JSON() ([]byte, error) {
	f := findingsFile{
		SchemaVersion: FindingsVersion, Cluster: v.Cluster, Profile: v.Profile, From: v.From, To: v.To, Trees: list(v.Trees), Baseline: v.Baseline,
		Coverage: v.Coverage(), MinCoverage: v.MinCoverage, MinTime: v.MinTimeCoverage, MinChecks: v.MinCheckCoverage, MinKept: v.MinKeptTime,
		FailOn: list(v.FailOn), FailOnLogDamage: v.FailOnLogDamage, FailOnUnverified: list(v.FailOnUnverified),
		ExitCode: v.ExitCode(), Configured: v.Configured, Scorecard: list(v.Scorecard()),
		Params: v.Params, Notices: list(v.Notices), LostRows: list(v.LostRows), PolicyFaults: list(v.PolicyFaults),
		TreeCoverage: list(v.TreeCoverage), Agreement: v.ShareAgreement, Deficits: v.DeficitAgreement, Audits: []auditJSON{},
		Outcomes:  []outcomeJSON{},
		Incidents: list(v.Incidents), Promises: list(v.Promises), Findings: list(v.Findings), Fixed: list(v.Fixed), Open: list(v.Open),
	}
	for _, a := range v.Audits {
		f.Audits = append(f.Audits, auditJSON{a.ID, a.Title, a.Promise, a.Why, list(a.Invariants), list(a.Judges), list(a.Breaks), a.Severity, a.Concerns})
	}
	for _, o := range v.Outcomes {
		f.Outcomes = append(f.Outcomes, outcomeJSON{o.Audit.ID, o.Tree, o.Verdict, o.Seen, o.SeenUnit, o.Findings, o.Reason})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // <Root> is a pool, and this is not a web page
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

// list is a slice that becomes [] in JSON where it is empty.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ReadVerdict reads the verdict on the run in dir from its findings.json. Of the
// audits it holds what is said of them, not their queries.
func ReadVerdict(dir string) (*Verdict, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("read the verdict: %w", err)
	}
	path := filepath.Join(dir, FindingsName)
	b, err := input.ReadAll(path, largestFindings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, runErrorf(dir, "has no "+FindingsName+": audit the run first")
	}
	if err != nil {
		return nil, err
	}
	var f findingsFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, runErrorf(path, "is damaged: %w; audit the run again", err)
	}
	if f.SchemaVersion != FindingsVersion {
		return nil, runErrorf(path, "has schema_version %d, this program reads %d: audit the run again", f.SchemaVersion, FindingsVersion)
	}
	v, err := f.verdict()
	if err != nil {
		return nil, runErrorf(path, "is damaged: %w; audit the run again", err)
	}
	return v, nil
}

// verdict returns the verdict in the file.
func (f *findingsFile) verdict() (*Verdict, error) {
	v := &Verdict{
		Cluster: f.Cluster, Profile: f.Profile, From: f.From, To: f.To, Trees: f.Trees, Params: f.Params, Baseline: f.Baseline,
		Findings: f.Findings, Fixed: f.Fixed, Open: f.Open, Incidents: f.Incidents, Promises: f.Promises,
		TreeCoverage: f.TreeCoverage, ShareAgreement: f.Agreement, DeficitAgreement: f.Deficits,
		Notices: f.Notices, LostRows: f.LostRows, PolicyFaults: f.PolicyFaults, Configured: f.Configured,
		FailOn: f.FailOn, FailOnLogDamage: f.FailOnLogDamage, FailOnUnverified: f.FailOnUnverified,
		MinCoverage: f.MinCoverage, MinTimeCoverage: f.MinTime, MinCheckCoverage: f.MinChecks,
		MinKeptTime: f.MinKept,
	}
	if _, _, ok := window(v); !ok {
		return nil, fmt.Errorf("empty window %s to %s", v.From, v.To)
	}
	byID := map[string]*Audit{}
	for _, a := range f.Audits {
		audit := &Audit{ID: a.Audit, Title: a.Title, Promise: a.Statement, Why: a.Why, Invariants: a.Invariants,
			Judges: a.Judges, Breaks: a.Breaks, Severity: a.Severity, Concerns: a.Concerns}
		byID[a.Audit] = audit
		v.Audits = append(v.Audits, audit)
	}
	for _, o := range f.Outcomes {
		a := byID[o.Audit]
		if a == nil {
			return nil, fmt.Errorf("its outcomes name the audit %q, which it does not list", o.Audit)
		}
		v.Outcomes = append(v.Outcomes, Outcome{a, o.Tree, o.Verdict, o.Seen, o.SeenUnit, o.Findings, o.Reason})
	}
	for i := range v.Findings { // a fixed one may be of an audit that is no more
		if byID[v.Findings[i].Audit] == nil {
			return nil, fmt.Errorf("finding %s is of the audit %q, which it does not list", v.Findings[i].ID, v.Findings[i].Audit)
		}
	}
	return v, nil
}
