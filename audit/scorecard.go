package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/quantity"
)

// A Shortfall is the worst breach of a promise.
type Shortfall struct {
	Text      string   `json:"text"` // for a person, without a full stop: rich was up to 6 cores below its guarantee for 10 min 48 s
	Magnitude *float64 `json:"magnitude"`
	Unit      string   `json:"unit"`
	FindingID string   `json:"finding_id"`
}

// A Score is one row of the scorecard: what became of one kind of promise of one pool or
// tree, over all versions of the setting in the window.
type Score struct {
	Tree        string     `json:"tree"`
	SubjectKind string     `json:"subject_kind"` // pool or tree
	Subject     string     `json:"subject"`
	Path        string     `json:"path"`    // of the pool; empty for others
	Kind        string     `json:"promise"` // the kind of promise
	Grade       Grade      `json:"grade"`   // the worst of its versions
	Tested      float64    `json:"tested_s"`
	Kept        float64    `json:"kept_s"`
	Part        *float64   `json:"kept_part"` // of the time that tested it, 0 to 1; nil where nothing did, or no time is known
	Shortfall   *Shortfall `json:"shortfall"` // nil where nothing was missed
	Delivery    *Delivery  `json:"delivery"`  // of a guarantee what was lacking; nil of other kinds, and where nothing is known of it
	Trend       Trend      `json:"trend"`
	BaseGrade   Grade      `json:"baseline_grade"` // empty without a baseline that has the promise
	BasePart    *float64   `json:"baseline_kept_part"`
}

// A Trend says how a promise fares against the baseline.
type Trend string

// The trends; there is none without a baseline, nor where neither run could tell.
const (
	Better Trend = "better"
	Worse  Trend = "worse"
	Same   Trend = "same"
	Added  Trend = "new" // the baseline has no such promise
)

// Scorecard sums up the promises per subject and kind: the worst grade first, those that
// were missed longest first among them.
func (v *Verdict) Scorecard() []Score {
	type key struct{ tree, kind, subjectKind, subject string }
	place := map[key]int{}
	var all []Score
	for i := range v.Promises {
		p := &v.Promises[i]
		k := key{p.Tree, p.Kind, p.SubjectKind, p.Subject}
		at, ok := place[k]
		if !ok { // the worst grade comes first
			at = len(all)
			place[k] = at
			all = append(all, Score{Tree: p.Tree, SubjectKind: p.SubjectKind, Subject: p.Subject, Path: p.Path, Kind: p.Kind, Grade: p.Grade})
		}
		s := &all[at]
		s.Tested, s.Kept = s.Tested+p.Tested, s.Kept+p.Kept
		if s.Shortfall == nil {
			s.Shortfall = p.Shortfall
		}
		s.Delivery = s.Delivery.plus(p.Delivery)
	}
	for i := range all {
		if s := &all[i]; s.Tested > 0 {
			part := s.Kept / s.Tested
			s.Part = &part
		}
	}
	v.setTrends(all)
	slices.SortStableFunc(all, func(a, b Score) int {
		return cmp.Or(
			cmp.Compare(slices.Index(Grades, a.Grade), slices.Index(Grades, b.Grade)), cmp.Compare(b.Tested-b.Kept, a.Tested-a.Kept),
			cmp.Compare(a.Tree, b.Tree), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
	return all
}

// alikePart is the largest difference between the kept parts of two nights that is not a trend.
const alikePart = 0.005

// setTrends sets the trend of scores against the baseline, unless it is of another cluster
// or of a version without promises.
func (v *Verdict) setTrends(scores []Score) {
	if v.Baseline == nil || len(v.Baseline.Scorecard) == 0 || v.otherCluster() {
		return
	}
	before := map[string]*Score{}
	for i := range v.Baseline.Scorecard {
		s := &v.Baseline.Scorecard[i]
		before[s.name()] = s
	}
	for i := range scores {
		s := &scores[i]
		was := before[s.name()]
		if was == nil {
			s.Trend = Added
			continue
		}
		s.BaseGrade, s.BasePart, s.Trend = was.Grade, was.Part, s.against(was)
	}
}

func (s *Score) name() string {
	return strings.Join([]string{s.Tree, s.Kind, s.SubjectKind, s.Subject}, "\x00")
}

// against compares with the score of another night: by the part of the time kept where
// both have one, else by whether it was broken.
func (s *Score) against(was *Score) Trend {
	switch {
	case s.Part != nil && was.Part != nil && *s.Part > *was.Part+alikePart:
		return Better
	case s.Part != nil && was.Part != nil && *s.Part < *was.Part-alikePart:
		return Worse
	case s.Grade == Broken && was.Grade == Kept:
		return Worse
	case s.Grade == Kept && was.Grade == Broken:
		return Better
	case s.Grade == was.Grade:
		return Same
	}
	return ""
}

// score measures a promise: how long something tested it; for how much of that it was
// delivered, with usage not below a guarantee and without a finding about it, excused and
// suspect ones included; what was lacking of a guarantee; and where it was missed most.
func (t *promiseTerm) score(charges []charge, looked []look, held heldHours, short *shortage) {
	missed, tested := t.missedTime(charges, looked, held, func(c *charge) bool { return c.verdict != Undecidable && c.verdict != Noted }, short.below)
	t.Tested, t.Kept = tested.Seconds(), (tested - missed).Seconds()
	t.Delivery = t.delivery(short)
	if c := missedMost(charges); c != nil {
		t.Shortfall = c.shortfall(t.Path)
	}
}

// missedMost is the charge that says by how much a promise was missed: the worst about
// the pool itself that lasted, else the worst; nil if none is violated.
func missedMost(charges []charge) (worst *charge) {
	for i := range charges {
		switch c := &charges[i]; {
		case c.verdict != Violated:
		case c.SubjectKind == "pool" && c.lasted() > 0:
			return c
		case worst == nil:
			worst = c
		}
	}
	return worst
}

// lasted is the length of a finding; 0 of a moment and where an end is not known.
func (f *Finding) lasted() time.Duration {
	if f.From == nil || f.To == nil {
		return 0
	}
	return f.To.Sub(*f.From)
}

// shortfall says by how much a finding misses what was promised, in the unit of the
// promise.
func (c *charge) shortfall(path string) *Shortfall {
	s := &Shortfall{Magnitude: c.Magnitude, Unit: c.Unit, FindingID: c.ID}
	who := cmp.Or(path, c.subject, "tree "+c.Tree)
	var lacked struct {
		Lacked *float64 `json:"lacked"`
		Unit   string   `json:"unit"`
	}
	long := ""
	if lasted := c.lasted(); lasted > 0 {
		long = " for " + spanText(lasted) + c.since
	}
	switch {
	case json.Unmarshal(c.Evidence, &lacked) == nil && lacked.Lacked != nil:
		s.Magnitude, s.Unit = lacked.Lacked, lacked.Unit
		s.Text = fmt.Sprintf("%s was up to %s below its guarantee%s", who, quantity.Of(*lacked.Lacked, lacked.Unit), long)
	case c.Magnitude == nil:
		s.Text = who + ": " + strings.TrimSuffix(c.Reason, ".")
	case c.SubjectKind == "pool" && (c.Unit == "operations" || strings.HasPrefix(c.Audit, "pool_over_")):
		s.Text = fmt.Sprintf("%s was up to %s over its limit%s", who, quantity.Of(*c.Magnitude, c.Unit), long)
	default:
		s.Text = fmt.Sprintf("%s: %s (%s)", who, strings.ToLower(c.title[:1])+c.title[1:], quantity.Of(*c.Magnitude, c.Unit))
	}
	return s
}
