package report

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"poolproof/audit"
	"poolproof/core/quantity"
)

// Bounds of a page, so that it stays a page whatever the night was.
const (
	chartBuckets   = 384 // points of a timeline
	zoomBuckets    = 192 // points of an incident's
	tableRows      = 16  // divides both
	chartsFindings = 12  // pools that are drawn since something was found there
	chartsPromised = 8   // more, since they are guaranteed something
	chartsLargest  = 4   // more, since they are large
	chartsTrees    = 12  // trees that are drawn
	marksPerChart  = 300
)

// A chart is a timeline on the page.
type chart struct {
	frame
	Title    string
	Sentence string // what the line says, for who cannot see it
	IsZoom   bool   // around an incident
	Limited  bool
	points   []*point
	marks    []mark
	counted  string    // the limit of operations that it shows instead of shares; empty if none
	counts   []counted // of it, a bucket each
}

// A mark is a finding's span on a timeline.
type mark struct {
	From    int64  `json:"from"` // ms
	To      int64  `json:"to"`
	Verdict string `json:"verdict"`
}

// An aspirant is a pool that may get a timeline.
type aspirant struct {
	tree, pool, path string
	guarantee, used  float64
}

// drawnPools are the pools that get a timeline: those with findings, the worst
// first, then guaranteed ones, then the largest; and all trees.
func drawnPools(ctx context.Context, db *sql.DB, v *audit.Verdict) (trees, pools []aspirant, err error) {
	rows, err := db.QueryContext(ctx, `
SELECT tree, pool, coalesce(any_value(path), pool), max(min_share_ratio), sum(usage_ratio_seconds)::DOUBLE / 1e9 AS used
FROM pool_intervals LEFT JOIN pools USING (tree, pool)
GROUP BY tree, pool
ORDER BY tree, used DESC, pool`)
	if err != nil {
		return nil, nil, fmt.Errorf("choose the timelines: %w", err)
	}
	defer rows.Close()
	var all []aspirant
	for rows.Next() {
		var a aspirant
		if err := rows.Scan(&a.tree, &a.pool, &a.path, &a.guarantee, &a.used); err != nil {
			return nil, nil, fmt.Errorf("choose the timelines: %w", err)
		}
		if a.pool == rootName {
			trees = append(trees, a)
		} else {
			all = append(all, a)
		}
	}
	take := func(n int, wanted func(aspirant) bool) {
		for _, a := range all {
			if n > 0 && wanted(a) && !slices.Contains(pools, a) {
				pools = append(pools, a)
				n--
			}
		}
	}
	for _, f := range v.Findings { // the worst first
		if pool := poolOf(f); f.Verdict != audit.Excused && len(pools) < chartsFindings {
			take(1, func(a aspirant) bool { return a.tree == f.Tree && a.pool == pool })
		}
	}
	slices.SortStableFunc(all, func(a, b aspirant) int { return cmp.Compare(b.guarantee, a.guarantee) })
	take(chartsPromised, func(a aspirant) bool { return a.guarantee > 0 })
	slices.SortStableFunc(all, func(a, b aspirant) int { return cmp.Compare(b.used, a.used) })
	take(chartsLargest, func(a aspirant) bool { return a.used > 0 })
	return trees, pools, rows.Err()
}

// drawnTrees are the trees that get a timeline, in their order: of many those with the
// worst findings and the largest.
func drawnTrees(all []aspirant, findings []audit.Finding) (drawn []aspirant) {
	place := map[string]int{} // the worst finding
	for i := len(findings) - 1; i >= 0; i-- {
		if findings[i].Verdict != audit.Excused {
			place[findings[i].Tree] = i - len(findings)
		}
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b aspirant) int {
		return cmp.Or(cmp.Compare(place[a.tree], place[b.tree]), cmp.Compare(b.used, a.used))
	})
	ranked = ranked[:min(len(ranked), chartsTrees)]
	for _, a := range all {
		if slices.Contains(ranked, a) {
			drawn = append(drawn, a)
		}
	}
	return drawn
}

// rootName is the pool that is the tree itself.
const rootName = "<Root>"

// poolOf is the pool that a finding is about; empty if it is about none.
func poolOf(f audit.Finding) string {
	if f.SubjectKind == "pool" {
		return f.Subject
	}
	var evidence struct {
		Pool string `json:"pool"`
	}
	if json.Unmarshal(f.Evidence, &evidence) != nil {
		return ""
	}
	return evidence.Pool
}

// limitedPool is the pool whose chart tells of a finding: the one whose limit it is about,
// if it names one, else the pool that it is about.
func limitedPool(f audit.Finding) string {
	var evidence struct {
		Full  string `json:"full_pool"`
		Cases []struct {
			Pool string `json:"limit_pool"`
		} `json:"first_cases"`
	}
	if json.Unmarshal(f.Evidence, &evidence) == nil {
		for _, c := range evidence.Cases {
			evidence.Full = cmp.Or(evidence.Full, c.Pool)
		}
	}
	return cmp.Or(evidence.Full, poolOf(f))
}

// findingsByPool are the findings by their tree and the pools that they are about.
func findingsByPool(findings []audit.Finding) map[[2]string][]audit.Finding {
	by := map[[2]string][]audit.Finding{}
	for _, f := range findings {
		for _, pool := range poolsOf(&f) {
			of := [2]string{f.Tree, pool}
			by[of] = append(by[of], f)
		}
	}
	return by
}

// marksOf are the spans of findings.
func marksOf(findings []audit.Finding) (marks []mark) {
	for _, f := range findings {
		if f.From == nil || len(marks) == marksPerChart {
			continue
		}
		m := mark{From: f.From.UnixMilli(), To: f.From.UnixMilli(), Verdict: string(f.Verdict)}
		if f.To != nil {
			m.To = f.To.UnixMilli()
		}
		if f.Suppressed != nil {
			m.Verdict = "excused"
		}
		marks = append(marks, m)
	}
	return marks
}

// drawAll reads the points of the charts and says what they show.
func drawAll(ctx context.Context, db *sql.DB, charts []*chart) error {
	frames := make([]frame, len(charts))
	for i, c := range charts {
		frames[i] = c.frame
	}
	series, err := readSeries(ctx, db, "pool_intervals", frames)
	if err != nil {
		return err
	}
	for i, c := range charts {
		c.points = series[i]
		if c.counted != "" {
			if c.counts, err = readCounts(ctx, db, c.frame, c.counted); err != nil {
				return err
			}
		}
		c.Sentence = c.describe()
	}
	return nil
}

// describe says in words what the chart shows.
func (c *chart) describe() string {
	if c.IsCounted() {
		return c.describeCounts()
	}
	p := merge(c.points)
	if p == nil {
		return "The pool was not there in this time."
	}
	text := fmt.Sprintf("Used %s of the tree on average and at most %s", percent(p.Usage), percent(p.Peak))
	text += fmt.Sprintf("; its fair share was %s on average, its demand %s", percent(p.FairShare), percent(p.Demand))
	if p.Guarantee > 0 {
		text += fmt.Sprintf(", its strong guarantee %s", percent(p.Guarantee))
	}
	for _, q := range c.points {
		c.Limited = c.Limited || q != nil && q.Limit < 1-1e-9
	}
	if len(c.marks) > 0 {
		text += "; " + count(len(c.marks), "finding is marked", "findings are marked")
	}
	return text + "."
}

// merge is one point for several; nil if there is none.
func merge(points []*point) *point {
	var m point
	m.Limit = 1
	for _, p := range points {
		if p == nil {
			continue
		}
		m.Seconds += p.Seconds
		m.Usage += p.Usage * p.Seconds
		m.Demand += p.Demand * p.Seconds
		m.FairShare += p.FairShare * p.Seconds
		m.Guarantee = max(m.Guarantee, p.Guarantee)
		m.Limit = min(m.Limit, p.Limit)
		m.Peak = max(m.Peak, p.Peak)
	}
	if m.Seconds == 0 {
		return nil
	}
	m.Usage /= m.Seconds
	m.Demand /= m.Seconds
	m.FairShare /= m.Seconds
	return &m
}

// percent is a share in a sentence.
func percent(share float64) string { return quantity.Number(100*share, 1) + " %" }

// tabled is a share in a table, whose decimals stand below each other.
func tabled(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/10, 'f', 1, 64) + " %"
}

// A chartRow is a row of the table beside a chart.
type chartRow struct {
	Time                                      string
	There                                     bool
	Usage, Peak, FairShare, Guarantee, Demand string
	Count, Limit                              string // of a chart of counts
}

// Rows are the chart as a table, for who cannot see it.
func (c *chart) Rows() (rows []chartRow) {
	each := c.Buckets / tableRows
	layout := "2006-01-02 15:04"
	if int64(each)*c.Step < time.Minute.Microseconds() {
		layout = "2006-01-02 15:04:05"
	}
	for i := 0; i < c.Buckets; i += each {
		t := time.UnixMicro(c.From + int64(i)*c.Step).UTC()
		row := chartRow{Time: t.Format(layout)}
		if p := merge(c.points[i : i+each]); p != nil {
			row.There = true
			row.Usage, row.Peak, row.FairShare, row.Guarantee, row.Demand = tabled(p.Usage), tabled(p.Peak), tabled(p.FairShare), tabled(p.Guarantee), tabled(p.Demand)
		}
		if c.counts != nil {
			p := mostOf(c.counts[i : i+each])
			row.There, row.Limit = p.there != nil, "none"
			if p.there != nil {
				row.Count = number(*p.there)
			}
			if p.limit != nil {
				row.Limit = number(*p.limit)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Each is the time that a point stands for.
func (c *chart) Each() string { return stepText(c.Step) }

// stepText is the length of a bucket, in µs, for a person.
func stepText(us int64) string {
	d := time.Duration(us) * time.Microsecond
	switch {
	case d >= 2*time.Hour:
		return quantity.Number(d.Hours(), 1) + " h"
	case d >= 2*time.Minute:
		return quantity.Number(d.Minutes(), 1) + " min"
	}
	return quantity.Number(d.Seconds(), 1) + " s"
}

// chartData is a chart for the script: times in ms, shares in 1e-4. Columns are delta-encoded,
// which is short, with null for missing values.
type chartData struct {
	From      float64 `json:"from"`
	Step      float64 `json:"step"`
	Usage     []any   `json:"usage"`
	FairShare []any   `json:"fair"`
	Demand    []any   `json:"demand"`
	Guarantee []any   `json:"guarantee,omitempty"`
	Limit     []any   `json:"limit,omitempty"`
	Noun      string  `json:"noun,omitempty"` // what Counts counts

	Counts     []any  `json:"counts,omitempty"`
	CountLimit []any  `json:"count_limit,omitempty"`
	Marks      []mark `json:"marks"`
}

func (c *chart) data() chartData {
	column := func(of func(*point) float64) []any {
		return differences(c.points, func(p *point) (int64, bool) {
			if p == nil {
				return 0, false
			}
			return int64(math.Round(of(p) * 1e4)), true
		})
	}
	d := chartData{
		From: float64(c.From) / 1e3, Step: float64(c.Step) / 1e3, Marks: c.marks,
		Usage:     column(func(p *point) float64 { return p.Usage }),
		FairShare: column(func(p *point) float64 { return p.FairShare }),
		Demand:    column(func(p *point) float64 { return p.Demand }),
	}
	if c.IsCounted() {
		d.Noun = c.Noun()
	}
	known := func(n *int64) (int64, bool) {
		if n == nil {
			return 0, false
		}
		return *n, true
	}
	d.Counts = differences(c.counts, func(n counted) (int64, bool) { return known(n.there) })
	d.CountLimit = differences(c.counts, func(n counted) (int64, bool) { return known(n.limit) })
	if all := merge(c.points); all != nil && all.Guarantee > 0 {
		d.Guarantee = column(func(p *point) float64 { return p.Guarantee })
	}
	if c.Limited {
		d.Limit = column(func(p *point) float64 { return p.Limit })
	}
	return d
}

// differences delta-encodes values; missing values are nil.
func differences[T any](list []T, of func(T) (int64, bool)) []any {
	values, last := make([]any, len(list)), int64(0)
	for i, x := range list {
		if v, ok := of(x); ok {
			values[i], last = v-last, v
		}
	}
	return values
}
