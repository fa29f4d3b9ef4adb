package command

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/ingest/input"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/whatif"
)

// A trial is a scenario of which a few numbers are wanted, and then nothing more.
type trial struct {
	name     string
	edits    *whatif.Edits // nil: the control
	row      report.TrialRow
	believed []report.Believed // of the control
	of       *audit.Verdict    // about which it is reported: decided by the time of the report
}

// try runs trials and measures them; their runs are removed. One whose configuration a cluster
// refuses is not run: its row says why.
func (x *experiment) try(ctx context.Context, workers int, dir string, measures []audit.Measure, trials []*trial, p *progress) error {
	var scenarios []*scenario
	for i, t := range trials {
		t.row.Name = t.name
		_, found, err := x.edited(ctx, t.edits)
		if err != nil {
			return err
		}
		if t.row.Notes = found.Notes(); len(found.Refused) > 0 {
			t.refuse(found, measures)
			continue
		}
		s := newScenario(t.edits, filepath.Join(dir, strconv.Itoa(i)))
		if t.edits == nil {
			s.dir = filepath.Join(dir, controlName)
			x.control = s
		}
		s.judge = func(ctx context.Context) error {
			all, err := x.measure(ctx, s)
			if err != nil {
				return err
			}
			for _, m := range measures {
				c, err := m.In(all)
				if err != nil {
					return err
				}
				t.row.Values = append(t.row.Values, c)
			}
			if t.edits == nil {
				t.believed, t.of = s.believed,
					&audit.Verdict{Cluster: s.manifest.Cluster, Profile: s.manifest.Profile, From: s.manifest.From,
						To: s.manifest.To}
			}
			p.showState("decided %s", t.name)
			if t.edits == nil {
				return nil // others have tables of it
			}
			return os.RemoveAll(s.dir)
		}
		scenarios = append(scenarios, s)
	}
	if len(scenarios) == 0 {
		return nil
	}
	// Audits take longer than all the rest, and only the number of violations asks for them.
	ask := audit.Asking
	if slices.ContainsFunc(measures, func(m audit.Measure) bool { return m.Metric == "violations" }) {
		ask = audit.Judging
	}
	if err := x.pose(ask, workers, nil, audit.AskedByMetrics()...); err != nil {
		return err
	}
	return x.run(ctx, workers, scenarios)
}

// refuse says why a trial is not run.
func (t *trial) refuse(found whatif.Checked, measures []audit.Measure) {
	t.row.Name, t.row.Refused = t.name, whatif.RefusalTexts(found.Refused)
	for k := range measures {
		t.row.Values = append(t.row.Values, &audit.Change{Metric: measures[k].Metric})
	}
}

// measure returns the numbers of a run.
func (x *experiment) measure(ctx context.Context, s *scenario) ([]audit.Change, error) {
	run, err := x.question.Put(ctx, s.dir, s.seat.takeWorker)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	return run.Metrics(ctx)
}

// find looks for the first value of an option that keeps a condition.
func (x *experiment) find(ctx context.Context, q *whatIfRequest, edits *whatif.Edits, dir string, p *progress) (*audit.Verdict, *report.Document, error) {
	until, err := audit.ParseCondition(q.until)
	if err != nil {
		return nil, nil, err
	}
	key, values, err := q.rangeOf()
	if err != nil {
		return nil, nil, err
	}
	if err := until.CheckSubject(x.subjects()); err != nil {
		return nil, nil, err
	}
	if _, err := over(edits, key, values.From); err != nil {
		return nil, nil, err
	}
	measures := []audit.Measure{until.Measure}
	control := &trial{name: controlName}
	p.step("Looking for a value of %s with %s", key, until)
	if err := x.try(ctx, q.workers, dir, measures, []*trial{control}, p); err != nil {
		return nil, nil, err
	}
	s := &search{experiment: x, edits: edits, key: key, until: until, byValue: map[float64]report.TrialRow{}}
	found, err := whatif.Search(values, func(v float64) (bool, error) { return s.isRefused(ctx, v) }, func(values []float64) ([]bool, error) {
		return s.tryValues(values, func(trials []*trial) error { return x.try(ctx, q.workers, dir, measures, trials, p) })
	})
	if err != nil {
		return nil, nil, err
	}
	control.row.Holds = until.Holds(control.row.Values[0].After)
	told := report.Trials{Kind: "what-if", Title: fmt.Sprintf("What if: %s from %s to %s, until %s", key, valueText(values.From), valueText(values.To), until), Measures: measures, Judges: true, Rows: []report.TrialRow{control.row}}
	for _, t := range found.Tried {
		told.Rows = append(told.Rows, s.byValue[t.Value])
	}
	for _, r := range found.Refused {
		told.Rows = append(told.Rows, s.byValue[r.Nearest])
	}
	told.Believed = control.believed
	told.Heading = foundText(key, values, until, found)
	told.Heading = append(told.Heading, refusedText(found, s.byValue)...)
	if found.Holds {
		told.Heading = append(told.Heading, s.byValue[found.Value].Notes...)
	}
	told.Heading = append(told.Heading, x.notes(told.Believed)...)
	return control.of, told.Document(), nil
}

// A search tries values of an option until a condition holds.
type search struct {
	*experiment
	edits   *whatif.Edits
	key     string
	until   audit.Condition
	byValue map[float64]report.TrialRow
}

func (s *search) trialOf(v float64) (t *trial, err error) {
	t = &trial{name: fmt.Sprintf("%s = %s", s.key, valueText(v))}
	t.edits, err = over(s.edits, s.key, v)
	return t, err
}

// isRefused reports whether a scheduler refuses the configuration with a value.
func (s *search) isRefused(ctx context.Context, v float64) (bool, error) {
	t, err := s.trialOf(v)
	if err != nil {
		return false, err
	}
	_, found, err := s.edited(ctx, t.edits)
	if len(found.Refused) > 0 {
		t.refuse(found, []audit.Measure{s.until.Measure})
		s.byValue[v] = t.row
	}
	return len(found.Refused) > 0, err
}

// tryValues reports with which values the condition holds.
func (s *search) tryValues(values []float64, try func([]*trial) error) (holds []bool, err error) {
	var trials []*trial
	for _, v := range values {
		t, err := s.trialOf(v)
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	if err := try(trials); err != nil {
		return nil, err
	}
	for i, t := range trials {
		t.row.Holds = s.until.Holds(t.row.Values[0].After)
		s.byValue[values[i]] = t.row
		holds = append(holds, t.row.Holds)
	}
	return holds, nil
}

// over puts a value over edits; they hold from the same time on.
func over(edits *whatif.Edits, key string, value any) (*whatif.Edits, error) {
	e, err := edits.With(key, value)
	if err == nil {
		e.At = edits.At
	}
	return e, err
}

func valueText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// foundText says what a search came to.
func foundText(key string, r whatif.Range, until audit.Condition, f *whatif.Found) (sentences []string) {
	switch {
	case len(f.Tried) == 0:
		return []string{fmt.Sprintf("Not found: a cluster refuses all values of %s that were looked at, from %s to %s.", key, valueText(r.From), valueText(r.To))}
	case !f.Holds:
		first, last := f.Tried[0].Value, f.Tried[len(f.Tried)-1].Value
		return []string{fmt.Sprintf("Not found: of %s tried from %s to %s none has %s.", counted(len(f.Tried), "value"),
			valueText(first), valueText(last), until)}
	case f.Value == r.From:
		sentences = []string{fmt.Sprintf("%s = %s, where the range begins, has %s already.", key, valueText(f.Value), until)}
	default:
		sentences = []string{fmt.Sprintf("%s = %s is the first value found from %s on that has %s, in steps of %s.",
			key, valueText(f.Value), valueText(r.From), until, valueText(r.Step))}
	}
	if len(f.Against) > 0 {
		var values []string
		for _, v := range f.Against {
			values = append(values, valueText(v))
		}
		sentences = append(sentences, fmt.Sprintf("It is not monotone: of the values tried beyond that, %s %s not. Bisection may miss an earlier value.", strings.Join(values, ", "), doOrDoes(len(values))))
	}
	return sentences
}

// refusedText says which values were left out, and by which rule.
func refusedText(f *whatif.Found, rows map[float64]report.TrialRow) (sentences []string) {
	for _, r := range f.Refused {
		span := valueText(r.From)
		if r.To != r.From {
			span += " to " + valueText(r.To)
		}
		sentences = append(sentences, fmt.Sprintf("Not tried: %s, since a cluster refuses %s by %s.", span,
			valueText(r.Nearest), strings.Join(rows[r.Nearest].Refused, "; ")))
	}
	return sentences
}

func doOrDoes(n int) string {
	if n == 1 {
		return "does"
	}
	return "do"
}

// rangeOf reads KEY=LOW..HIGH.
func (q *whatIfRequest) rangeOf() (key string, r whatif.Range, err error) {
	key, span, ok := strings.Cut(q.find, "=")
	low, high, dots := strings.Cut(span, "..")
	wrong := usagef("--find %q: write it as pools.prod.weight=1..10", q.find)
	if !ok || !dots || key == "" {
		return key, r, wrong
	}
	for text, into := range map[string]*float64{low: &r.From, high: &r.To} {
		if *into, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil || math.IsInf(*into, 0) || math.IsNaN(*into) {
			return key, r, wrong
		}
	}
	if low == high || r.From == r.To {
		return key, r, usagef("--find %q: the range has one value", q.find)
	}
	wide := math.Abs(r.To - r.From)
	if r.Step = q.step; r.Step == 0 {
		if r.From == math.Trunc(r.From) && r.To == math.Trunc(r.To) {
			r.Step = max(1, math.Ceil(wide/1000))
		} else {
			r.Step = wide / 100
		}
	}
	if !(r.Step > 0 && r.Step <= wide) || wide/r.Step > 1e9 {
		return key, r, usagef("--step %v does not divide the range of --find %q", q.step, q.find)
	}
	return key, r, nil
}

// largestGrid bounds the number of edits of a grid.
const largestGrid = 10_000

// grid tries several edits and tabulates what came of them.
func (x *experiment) grid(ctx context.Context, q *whatIfRequest, edits *whatif.Edits, dir string, p *progress) (*audit.Verdict, *report.Document, error) {
	trials, measures, err := q.readGrid(edits)
	if err != nil {
		return nil, nil, err
	}
	if measures = append(measures, defaultMeasures(measures, q.subjects, x.trees)...); len(trials) > largestGrid {
		return nil, nil, usagef("--grid %s asks for %d edits, and %d are the most", q.grid, len(trials), largestGrid)
	}
	subjects := x.subjects()
	for _, m := range measures {
		if err := m.CheckSubject(subjects); err != nil {
			return nil, nil, err
		}
	}
	if trials, err = q.partOf(trials); err != nil {
		return nil, nil, err
	}
	control := &trial{name: controlName}
	trials = append([]*trial{control}, trials...)
	p.step("Deciding %s %d times", counted(len(x.trees), "tree"), len(trials))
	if err := x.try(ctx, q.workers, dir, measures, trials, p); err != nil {
		return nil, nil, err
	}
	told := report.Trials{Kind: "what-if", Title: "What if: " + q.grid, Measures: measures}
	for _, t := range trials {
		told.Rows = append(told.Rows, t.row)
	}
	told.Believed = control.believed
	told.Heading = x.notes(told.Believed)
	return control.of, told.Document(), nil
}

// partOf are the edits of --part, all without it.
func (q *whatIfRequest) partOf(trials []*trial) ([]*trial, error) {
	if q.part == "" {
		return trials, nil
	}
	first, second, _ := strings.Cut(q.part, "/")
	i, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || i < 1 || i > n {
		return nil, usagef("invalid --part %q (want 1/4 for the first of four)", q.part)
	}
	if n > len(trials) {
		return nil, usagef("--part %s: the grid has no more than %s", q.part, counted(len(trials), "edit"))
	}
	return trials[len(trials)*(i-1)/n : len(trials)*i/n], nil
}

// defaultMeasures are those of the subjects, or else of the trees, where a grid names none.
func defaultMeasures(named []audit.Measure, subjects, trees []string) (measures []audit.Measure) {
	if len(named) > 0 {
		return nil
	}
	metrics := []string{"starved", "owed_guarantee", "owed_fair_share", "unmet_demand", "wait", "preempted"}
	if len(subjects) == 0 {
		subjects, metrics = trees, append(metrics, "utilization")
	}
	for _, s := range subjects {
		for _, m := range metrics {
			measures = append(measures, audit.Measure{Metric: m, Subject: s})
		}
	}
	return measures
}

// readGrid reads the file of a grid: named edits, values to vary over them, and measures.
func (q *whatIfRequest) readGrid(edits *whatif.Edits) (trials []*trial, measures []audit.Measure, err error) {
	b, err := input.ReadAll(q.grid, largestPolicy)
	if err != nil {
		return nil, nil, fmt.Errorf("read grid: %w", err)
	}
	v, err := poolconf.ParseValue(q.grid, b)
	if err != nil {
		return nil, nil, err
	}
	file, _ := v.(map[string]any)
	for key := range file {
		if !slices.Contains([]string{"edits", "vary", "measure"}, key) {
			return nil, nil, q.wrongGrid("it has no key %q: edits, vary and measure are all", key)
		}
	}
	named, isMap := file["edits"].(map[string]any)
	vary, varies := file["vary"].(map[string]any)
	list, isList := file["measure"].([]any)
	if file["edits"] != nil && !isMap || file["vary"] != nil && !varies || file["measure"] != nil && !isList || len(named)+len(vary) == 0 {
		return nil, nil, q.wrongGrid("edits are a map from names to edits, vary is one from keys to lists of values, and measure a list; one of edits and vary must be there")
	}
	for _, m := range list {
		measure, err := audit.ParseMeasure(fmt.Sprint(m))
		if err != nil {
			return nil, nil, q.wrongGrid("measure: %v", err)
		}
		measures = append(measures, measure)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		e, err := whatif.FromValue(q.grid+": "+name, named[name])
		if err != nil {
			return nil, nil, err
		}
		if q.at != "" || !e.At.Set {
			e.At = edits.At
		}
		trials = append(trials, &trial{name: name, edits: e})
	}
	if len(trials) == 0 {
		trials = []*trial{{edits: edits}}
	}
	for _, key := range slices.Sorted(maps.Keys(vary)) {
		if trials, err = q.combine(trials, key, vary[key]); err != nil {
			return nil, nil, err
		}
	}
	return trials, measures, nil
}

// combine puts each value of a key over each of some edits.
func (q *whatIfRequest) combine(trials []*trial, key string, v any) (more []*trial, err error) {
	values, isList := v.([]any)
	if !isList || len(values) == 0 {
		return nil, q.wrongGrid("vary: %s must be a list of values", key)
	}
	if len(trials)*len(values) > largestGrid {
		return nil, q.wrongGrid("it asks for more than %d edits", largestGrid)
	}
	for _, t := range trials {
		for _, value := range values {
			e, err := over(t.edits, key, value)
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("%s = %v", key, value)
			more = append(more, &trial{name: strings.TrimPrefix(t.name+", "+name, ", "), edits: e})
		}
	}
	return more, nil
}

func (q *whatIfRequest) wrongGrid(format string, args ...any) error {
	return input.Errorf("%s: "+format, append([]any{q.grid}, args...)...)
}
