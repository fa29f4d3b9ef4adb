package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"poolproof/ingest/input"
)

// A Baseline is the run that a verdict was compared with.
type Baseline struct {
	Cluster string   `json:"cluster"` // as its trace names it; empty if that does not
	Profile string   `json:"profile"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Trees   []string `json:"trees"`
	Differs []string `json:"differs"` // what makes the comparison a different one than of two nights, as sentences

	Scorecard []Score `json:"scorecard"` // its own; empty if its program was too old for one
}

// OldestBaseline is the oldest version of findings.json that can be compared with: its
// findings are those of today. So a new version of the program does not end the
// comparison of nights: the old ones may have no tables to be judged anew.
const OldestBaseline = 2

// The versions of findings.json since which a finding has a verdict of today.
const (
	notedSince   = 4 // what is legal; before, it was violated or suspect of severity info
	damagedSince = 8 // damage of the log; before, it was violated or suspect, or noted where its severity is info
)

// deliveredSince is the version of findings.json since which the time kept of a guarantee is
// that in which it was delivered; before, it was that without a finding.
const deliveredSince = 7

// ReadBaseline reads of the verdict on the run in dir what a comparison needs. Findings of an
// older version get the verdicts that audits, those of today, would give them.
func ReadBaseline(dir string, audits []*Audit) (*Verdict, error) {
	path := filepath.Join(dir, FindingsName)
	b, err := input.ReadAll(path, largestFindings)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("read the baseline: %w", err)
		}
		return nil, runErrorf(dir, "is not a baseline: it has no "+FindingsName+": audit the run first, or name another")
	}
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w", err)
	}
	var f findingsFile
	switch err := json.Unmarshal(b, &f); {
	case err != nil:
		return nil, runErrorf(path, "is damaged: %w; audit the run again, or name another baseline", err)
	case f.SchemaVersion < OldestBaseline || f.SchemaVersion > FindingsVersion:
		return nil, runErrorf(path, "has schema_version %d, and a baseline has %d to %d: audit the run again, or name another", f.SchemaVersion, OldestBaseline, FindingsVersion)
	}
	for i := range f.Findings {
		f.Findings[i].renewVerdict(f.SchemaVersion, audits)
	}
	for i := range f.Promises {
		if p := &f.Promises[i]; f.SchemaVersion < deliveredSince && unmetAudits[p.Kind] != "" {
			p.Tested, p.Kept = 0, 0 // another measure, which has no trend
		}
	}
	return &Verdict{Cluster: f.Cluster, Profile: f.Profile, From: f.From, To: f.To, Trees: f.Trees, Params: f.Params,
		Findings: f.Findings, Promises: f.Promises, Open: f.Open}, nil
}

// renewVerdict gives a finding of an older version of findings.json the verdict of today.
func (f *Finding) renewVerdict(version int, audits []*Audit) {
	ofLog := slices.ContainsFunc(audits, func(a *Audit) bool { return a.ID == f.Audit && a.Concerns == concernsLog })
	switch {
	case !f.Alleges() && f.Verdict != Noted:
	case version < damagedSince && ofLog:
		f.callDamaged()
	case version < notedSince && f.Severity == Info:
		f.Verdict = Noted
	}
}

// compare gives the findings their status against an earlier verdict, and lists
// what that one found and this one does not. What a tree's audit could not judge
// is not fixed: that is said instead. Another cluster is not compared: all is new.
func (v *Verdict) compare(base *Verdict) {
	v.Baseline = &Baseline{Cluster: base.Cluster, Profile: base.Profile, From: base.From, To: base.To,
		Trees: base.Trees, Differs: v.differences(base), Scorecard: list(base.Scorecard())}
	if v.otherCluster() {
		for i := range v.Findings {
			v.Findings[i].Status = New
		}
		return
	}
	before := map[string]int{} // the worst rank of each fingerprint
	for _, f := range base.Findings {
		if rank, ok := before[f.Fingerprint]; !ok || f.Verdict.Rank() < rank {
			before[f.Fingerprint] = f.Verdict.Rank()
		}
	}
	now := map[string]bool{}
	for i := range v.Findings {
		f := &v.Findings[i]
		now[f.Fingerprint] = true
		f.Status = New
		if rank, ok := before[f.Fingerprint]; ok && rank <= f.Verdict.Rank() {
			f.Status = Persisting
		}
	}
	judged := map[[2]string]bool{}
	for i := range v.Outcomes {
		o := &v.Outcomes[i]
		judged[[2]string{o.Audit.ID, o.Tree}] = o.Judged()
	}
	unknown := 0
	for _, f := range base.Findings {
		switch {
		case !f.Alleges() || now[f.Fingerprint]:
		case judged[[2]string{f.Audit, f.Tree}]:
			f.Status, f.Incident = Fixed, ""
			v.Fixed = append(v.Fixed, f)
		default:
			unknown++
		}
	}
	switch {
	case unknown == 1:
		v.Notices = append(v.Notices, "1 finding of the baseline is neither fixed nor found again: its audit judged nothing there this time.")
	case unknown > 1:
		v.Notices = append(v.Notices, fmt.Sprintf("%d findings of the baseline are neither fixed nor found again: their audits judged nothing there this time.", unknown))
	}
}

// otherCluster reports whether the baseline is of another cluster, so that nothing was
// compared with it. A trace that names no cluster may be of any.
func (v *Verdict) otherCluster() bool {
	return v.Baseline != nil && v.Baseline.Cluster != "" && v.Cluster != "" && v.Baseline.Cluster != v.Cluster
}

// alike is the relative difference between the lengths of two windows above which a notice is
// given: days of 23 or 25 hours pass.
const alike = 0.1

// shownParams bounds the number of differing thresholds that are named.
const shownParams = 3

// differences say what else than the night changed since an earlier verdict.
func (v *Verdict) differences(base *Verdict) []string {
	if base.Cluster != "" && v.Cluster != "" && base.Cluster != v.Cluster {
		return []string{fmt.Sprintf("The baseline is of cluster %q and this run of cluster %q: nothing is compared, and every finding counts as new.", base.Cluster, v.Cluster)}
	}
	differs := []string{} // a list in JSON, too
	add := func(format string, args ...any) { differs = append(differs, fmt.Sprintf(format, args...)) }
	if fresh := without(v.Trees, base.Trees); len(fresh) > 0 {
		add("The baseline does not have %s: what is found there is new for that alone.", treesText(fresh))
	}
	if gone := without(base.Trees, v.Trees); len(gone) > 0 {
		add("This run does not have %s of the baseline: what was found there is not fixed for that.", treesText(gone))
	}
	from, to, ok := window(v)
	baseFrom, baseTo, baseOK := window(base)
	if ok && baseOK {
		long, was := to.Sub(from), baseTo.Sub(baseFrom)
		if (long - was).Abs().Seconds() > alike*max(long, was).Seconds() {
			add("The baseline spans %s and this run %s: what is rare, or takes long, may be new or fixed for that alone.", spanText(was), spanText(long))
		}
		if baseFrom.After(from) {
			add("The baseline is of a later time than this run, so that new and fixed are the other way round.")
		}
	}
	if base.Profile != v.Profile {
		add("Profile %s judged the baseline and %s this run.", base.Profile, v.Profile)
	}
	var params []string
	for _, name := range slices.Sorted(maps.Keys(v.Params)) {
		if was, ok := base.Params[name]; ok && was != v.Params[name] {
			params = append(params, fmt.Sprintf("%s was %v and is %v", name, was, v.Params[name]))
		}
	}
	if more := len(params) - shownParams; more > 0 {
		params = append(params[:shownParams], fmt.Sprintf("and %d more", more))
	}
	if len(params) > 0 {
		add("Other thresholds judged the baseline: %s.", strings.Join(params, "; "))
	}
	return differs
}

// window is the judged window of a verdict, if it is one.
func window(v *Verdict) (from, to time.Time, ok bool) {
	from, errFrom := time.Parse(time.RFC3339Nano, v.From)
	to, errTo := time.Parse(time.RFC3339Nano, v.To)
	return from, to, errFrom == nil && errTo == nil && from.Before(to)
}

// without are the elements of all that others has not.
func without(all, others []string) (left []string) {
	for _, x := range all {
		if !slices.Contains(others, x) {
			left = append(left, x)
		}
	}
	return left
}

// treesText names trees: tree a; trees a, b and c; trees a, b, c and 4 more.
func treesText(names []string) string {
	const shown = 3
	list := slices.Clone(names[:min(len(names), shown)])
	if more := len(names) - shown; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	if len(list) == 1 {
		return "tree " + list[0]
	}
	return "trees " + strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
