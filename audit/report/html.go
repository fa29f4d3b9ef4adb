package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// pageName is the file of a run that holds the page.
const pageName = "report.html"

//go:embed page/page.html
var pageTemplate string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// The charts are drawn by uPlot, whose licence stands beside it.
//
//go:embed page/uplot/uPlot.iife.min.js
var chartScript string

//go:embed page/uplot/uPlot.min.css
var chartStyle string

// More bounds of a page.
const (
	shownSections   = 20  // incidents with a section of their own
	shownInSection  = 12  // findings of one incident
	shownRest       = 100 // incidents in one line each
	shownFixed      = 50
	shownPromisesOn = 400 // promises of the configuration
)

// A pageData holds the data of the template.
type pageData struct {
	*summary
	Headline   string
	Opening    []string
	ScoreRows  []foldedRow
	MoreScores int
	Noted      []incident // what is legal, in one line each
	MoreNoted  int
	Damage     []incident // of the log, in one line each
	MoreDamage int
	Words      []glossary
	Window     string
	Exit       string // the exit code and why
	Overview   *overview
	Warnings   []string
	Agreements []string // of recorded fair shares and deficits with recomputed ones
	Counts     []tile
	Fresh      []incident // new ones that count and have a section
	MoreFresh  int
	Promises   []*promise
	Pools      []*poolPromises // who has a promise that is broken, impossible or unverifiable
	Calm       []*poolPromises // who has none such
	MorePools  int
	Usage      []treeUsage
	MoreTrees  int // whose usage is not drawn
	Timelines  []*chart
	Incidents  []section
	Rest       []incident // incidents without a section
	MoreRest   int        // those that are not even listed
	FixedRows  []audit.Finding
	MoreFixed  int
	Doubts     []string
	Params     []string
	Policy     template.HTML

	sections  map[string]bool   // incidents that have one
	sectionOf map[string]string // incident by finding

	ChartScript, PageScript template.JS
	Style                   template.CSS
	Data                    []chartData
}

// A tile is a number with its name.
type tile struct {
	Number int
	Name   string
	Link   string
}

// poolPromises are the promises that one subject has, or, in several trees,
// the same promises with the same outcome.
type poolPromises struct {
	Name, Kind       string
	Trees            []string
	Promises         []audit.Promise
	statements, whys []*alike
}

// TreeNames are its trees for a person.
func (g *poolPromises) TreeNames() string { return names(g.Trees) }

// Statement and Why are what its n-th promise is and what became of it, in all its trees.
func (g *poolPromises) Statement(n int) string { return g.statements[n].text() }
func (g *poolPromises) Why(n int) string       { return g.whys[n].text() }

// A graded table is some of the promises.
type graded struct {
	Page    *pageData
	Groups  []*poolPromises
	Caption string
}

// A scored table is some rows of the scorecard.
type scored struct {
	Page    *pageData
	Rows    []foldedRow
	Caption string
	Trend   bool // one of them has one
}

// isBad reports whether a score is neither kept nor vacuous, or a guarantee was unmet for longer
// than one stretch may last.
func (r *scoreRow) isBad() bool {
	return r.Grade != audit.Vacuous && r.Grade != audit.Kept || r.Delivery.Notable()
}

func scoresWhere(rows []foldedRow, bad bool) (some []foldedRow) {
	for _, r := range rows {
		if r.isBad() == bad {
			some = append(some, r)
		}
	}
	return some
}

// A section is an incident with what is shown of it.
type section struct {
	incident
	Title   string
	Shown   []audit.Finding
	More    int
	Chart   *chart
	ChartNo int
	Worst   audit.Finding
	Facts   []fact // the evidence of the worst in words
	Proof   []fact // of the worst, if it is about a preemption: that of its first case
}

// A numbered chart knows its place among the data.
type numbered struct {
	Number int
	Chart  *chart
}

var pageHTML = template.Must(template.New("page").Funcs(template.FuncMap{
	"word":      verdictOf,
	"span":      span,
	"totals":    totals,
	"nameOf":    nameOf,
	"percentOf": percentOf,
	"number":    func(n int) string { return number(int64(n)) },
	"count":     count,
	"chart":     func(n int, c *chart) numbered { return numbered{n, c} },
	"bad":       func(rows []foldedRow) []foldedRow { return scoresWhere(rows, true) },
	"calm":      func(rows []foldedRow) []foldedRow { return scoresWhere(rows, false) },
	"scores": func(d *pageData, rows []foldedRow, caption string) scored {
		return scored{d, rows, caption, slices.ContainsFunc(rows, func(r foldedRow) bool { return r.Trend != "" })}
	},
	"plain":     spelling.OneName,
	"head":      head[*poolPromises],
	"tail":      tail[*poolPromises],
	"headRows":  head[foldedRow],
	"tailRows":  tail[foldedRow],
	"graded":    func(d *pageData, groups []*poolPromises, caption string) graded { return graded{d, groups, caption} },
	"magnitude": func(f audit.Finding) string { return totals(amounts([]audit.Finding{f})) },
	"ids":       shortIDs,
	"list":      func(ids []string) string { return strings.Join(ids, ", ") },
}).Parse(pageTemplate + stackTemplate))

// head are the first n of all, and tail the others.
func head[T any](n int, all []T) []T { return all[:min(n, len(all))] }
func tail[T any](n int, all []T) []T { return all[min(n, len(all)):] }

// HTML writes the verdict on a run as one page that needs nothing else: no
// network, no other file. The timelines are read from the run's database.
func HTML(ctx context.Context, w io.Writer, v *audit.Verdict, db *sql.DB) error {
	d, err := newPage(ctx, v, db)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := pageHTML.Execute(&b, d); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

func newPage(ctx context.Context, v *audit.Verdict, db *sql.DB) (*pageData, error) {
	s := summarize(v)
	d := &pageData{summary: s, Headline: s.headline(), Opening: s.opening(), ScoreRows: folded(s.scores()), Words: []glossary{{"Of findings and rules", verdictWords}, {"Of promises", gradeWords}}, Exit: s.exitLine(), Overview: s.overview(), Warnings: s.warnings(), Agreements: s.agreements(), Promises: s.promises, sections: map[string]bool{}, sectionOf: map[string]string{},
		ChartScript: template.JS(chartScript), PageScript: template.JS(pageScript), Style: template.CSS(chartStyle + pageStyle)}
	d.Policy = template.HTML(fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s' '%s'",
		digestOf(string(d.Style)), digestOf(chartScript), digestOf(pageScript)))
	if n := len(d.ScoreRows) - shownPromisesOn; n > 0 {
		d.ScoreRows, d.MoreScores = d.ScoreRows[:shownPromisesOn], n
	}
	d.group()
	for _, doubt := range s.doubts() {
		d.Doubts = append(d.Doubts, doubt.title+": "+doubt.text()+s.where(doubt))
	}
	for name, value := range v.Params {
		d.Params = append(d.Params, fmt.Sprintf("%s = %g", name, value))
	}
	slices.Sort(d.Params)
	if err := d.draw(ctx, db); err != nil {
		return nil, err
	}
	d.compare()
	return d, nil
}

// Section is the incident that holds the first finding about a promise and has a
// section; empty if none has.
func (d *pageData) Section(p audit.Promise) string {
	for _, id := range p.FindingIDs {
		if section := d.sectionOf[id]; section != "" {
			return section
		}
	}
	return ""
}

// SectionOf is the incident that holds a finding and has a section; empty if none has.
func (d *pageData) SectionOf(finding string) string { return d.sectionOf[finding] }

// MoreOfIt says how many findings of the same cause an incident has beside the first.
func (i incident) MoreOfIt() string {
	if n := len(i.findings); n > 1 {
		return fmt.Sprintf("And %s of the same cause; %s altogether.", count(n-1, "more finding", "more findings"), totals(i.Totals))
	}
	return ""
}

// Others are the ids of the findings beside the first, at most so many as a section shows.
func (i incident) Others() (ids []string) {
	for _, f := range i.findings[1:min(len(i.findings), shownInSection)] {
		ids = append(ids, f.ID)
	}
	return ids
}

// digestOf is the digest by which a page's policy allows an inline script.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// group puts the promises of one subject together, the worst first, and folds subjects
// that differ in their trees alone.
func (d *pageData) group() {
	place := map[[3]string]int{}
	var subjects []*poolPromises
	for _, p := range d.Verdict.Promises {
		key := [3]string{p.Tree, p.SubjectKind, p.Subject}
		i, ok := place[key]
		if !ok {
			i = len(subjects)
			place[key] = i
			subjects = append(subjects, &poolPromises{Name: nameOf(p), Kind: p.SubjectKind, Trees: []string{p.Tree}})
		}
		subjects[i].Promises = append(subjects[i].Promises, p)
	}
	shown := 0
	groups := foldedSubjects(subjects)
	for n, g := range groups {
		if shown += len(g.Promises); shown > shownPromisesOn && n > 0 {
			for _, g := range groups[n:] {
				d.MorePools += len(g.Promises) * len(g.Trees)
			}
			break
		}
		if worst := g.Promises[0].Grade; worst == audit.Vacuous || worst == audit.Kept {
			d.Calm = append(d.Calm, g)
		} else {
			d.Pools = append(d.Pools, g)
		}
	}
}

// compare counts what is new, persisting and fixed.
func (d *pageData) compare() {
	if d.Baseline == nil {
		return
	}
	d.FixedRows = d.Fixed
	if len(d.Fixed) > shownFixed {
		d.FixedRows, d.MoreFixed = d.Fixed[:shownFixed], len(d.Fixed)-shownFixed
	}
	for _, s := range []audit.Status{audit.New, audit.Persisting} {
		d.Counts = append(d.Counts, tile{countIf(d.Findings, func(f audit.Finding) bool { return f.Status == s && f.Verdict != audit.Noted }), string(s) + " findings", "#incidents"})
	}
	for _, i := range d.incidents {
		switch {
		case i.Status != audit.New || i.Suppressed || i.Verdict != audit.Violated && i.Verdict != audit.Suspect:
		case d.sections[i.ID]:
			d.Fresh = append(d.Fresh, i)
		default:
			d.MoreFresh++
		}
	}
	d.Counts = append(d.Counts, tile{len(d.Fixed), "fixed findings", "#fixed"})
}

// draw makes the timelines and the incidents' sections.
func (d *pageData) draw(ctx context.Context, db *sql.DB) error {
	from, errFrom := time.Parse(time.RFC3339Nano, d.From)
	to, errTo := time.Parse(time.RFC3339Nano, d.To)
	if errFrom != nil || errTo != nil || !from.Before(to) {
		return fmt.Errorf("empty window %s to %s", d.From, d.To)
	}
	d.Window = span(&from, &to)
	trees, pools, err := drawnPools(ctx, db, d.Verdict)
	if err != nil {
		return err
	}
	n := len(trees)
	trees = drawnTrees(trees, d.Findings)
	d.MoreTrees = n - len(trees)
	if d.Usage, err = readUsage(ctx, db, trees, from, to); err != nil {
		return err
	}
	var charts []*chart
	found := findingsByPool(d.Findings)
	for _, a := range pools {
		c := &chart{frame: newFrame(a.tree, a.pool, from, to, chartBuckets), Title: a.path, marks: marksOf(found[[2]string{a.tree, a.pool}])}
		if len(d.Verdict.Trees) > 1 {
			c.Title += " in tree " + a.tree
		}
		d.Timelines = append(d.Timelines, c)
		charts = append(charts, c)
	}
	charts = append(charts, d.addSections(from, to, len(charts))...)
	if err := drawAll(ctx, db, charts); err != nil {
		return err
	}
	for _, c := range charts {
		d.Data = append(d.Data, c.data())
	}
	return nil
}

// addSections makes a section for each of the worst incidents and returns their
// charts, which follow so many others.
func (d *pageData) addSections(from, to time.Time, before int) (charts []*chart) {
	worst := map[string]bool{}
	shown, _ := d.worst(shownSections)
	for _, i := range shown {
		worst[i.ID] = true
	}
	for _, i := range d.incidents {
		if !worst[i.ID] {
			d.list(i)
			continue
		}
		s := section{incident: i, Title: strings.TrimSuffix(i.Title, "."), Shown: i.findings, Worst: i.findings[0], ChartNo: before + len(charts)}
		if i.Title == s.Worst.Reason {
			s.Title = fmt.Sprintf("%s: %s %s", d.titleOf(i.Audit), i.CauseKind, i.Cause)
		}
		if len(s.Shown) > shownInSection {
			s.Shown, s.More = s.Shown[:shownInSection], len(s.Shown)-shownInSection
		}
		if proofs := proofsOf(&s.Worst); len(proofs) > 0 {
			s.Proof = proofs[0].facts()
		}
		s.Facts = evidenceFacts(s.Worst.Evidence)
		if pool := limitedPool(s.Worst); pool != "" && i.From != nil {
			s.Chart = zoom(i, pool, from, to)
			charts = append(charts, s.Chart)
		}
		d.Incidents = append(d.Incidents, s)
		d.sections[i.ID] = true
		for _, f := range i.findings {
			d.sectionOf[f.ID] = i.ID
		}
	}
	return charts
}

// list adds an incident without a section to those of its kind, in one line each.
func (d *pageData) list(i incident) {
	list, more := &d.Rest, &d.MoreRest
	switch {
	case i.isDamage():
		list, more = &d.Damage, &d.MoreDamage
	case i.Verdict == audit.Noted:
		list, more = &d.Noted, &d.MoreNoted
	}
	if len(*list) < shownRest {
		*list = append(*list, i)
	} else {
		*more++
	}
}

// titleOf returns the title of an audit.
func (d *pageData) titleOf(id string) string {
	for _, a := range d.Audits {
		if a.ID == id {
			return a.Title
		}
	}
	return id
}

// zoom is the timeline of an incident's pool around it.
func zoom(i incident, pool string, from, to time.Time) *chart {
	begin, end := around(*i.From, i.To, from, to)
	return &chart{frame: newFrame(i.Tree, pool, begin, end, zoomBuckets), Title: "Pool " + pool, IsZoom: true,
		marks: marksOf(i.findings), counted: countedLimit(i.First())}
}
