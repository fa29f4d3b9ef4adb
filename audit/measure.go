package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"poolproof/core/spelling"
	"poolproof/ingest/input"
)

// A Measure is a metric of one tree, pool or operation of a run.
type Measure struct{ Metric, Subject string }

func (m Measure) String() string { return m.Metric + " of " + m.Subject }

// ParseMeasure reads METRIC of SUBJECT.
func ParseMeasure(text string) (Measure, error) {
	metric, subject, ok := strings.Cut(text, " of ")
	m := Measure{strings.TrimSpace(metric), strings.TrimSpace(subject)}
	if !ok || m.Metric == "" || m.Subject == "" {
		return m, input.Errorf("invalid measure %q (want METRIC of POOL, as starved of prod)", text)
	}
	return m, nil
}

// In finds the measure among the numbers of a run.
func (m Measure) In(all []Change) (*Change, error) {
	if err := m.CheckSubject(all); err != nil {
		return nil, err
	}
	var found *Change
	var metrics []string
	is := Named(all, m.Subject)
	for i := range all {
		c := &all[i]
		if !is(c) {
			continue
		}
		metrics = append(metrics, c.Metric)
		if c.Metric != m.Metric {
			continue
		}
		if found != nil {
			return nil, input.Errorf("%q is several, %s %s of tree %s and %s %s of tree %s: name a pool with its tree, as gpu/prod, and more of the id of an operation", m.Subject, found.Kind, found.Element, found.Tree, c.Kind, c.Element, c.Tree)
		}
		found = c
	}
	if found != nil {
		return found, nil
	}
	slices.Sort(metrics)
	return nil, input.Errorf("unknown metric %q; %s", m.Metric, spelling.Meant(m.Metric, slices.Compact(metrics)))
}

// CheckSubject refuses a subject that no tree, pool or operation among the numbers has.
func (m Measure) CheckSubject(all []Change) error {
	if names, known := (&Comparison{Metrics: all}).Has(m.Subject); !known {
		return input.Errorf("the run has no tree, pool or operation %q; %s", m.Subject, spelling.MeantName(m.Subject, names))
	}
	return nil
}

// A Condition is a required value of a measure.
type Condition struct {
	Measure
	operator string
	bound    float64
}

// operators of conditions; those of two characters first.
var operators = []string{"<=", ">=", "<", ">", "="}

// ParseCondition reads METRIC of SUBJECT <= NUMBER.
func ParseCondition(text string) (c Condition, err error) {
	for _, c.operator = range operators {
		left, right, ok := strings.Cut(text, c.operator)
		if !ok {
			continue
		}
		if c.bound, err = strconv.ParseFloat(strings.TrimSpace(right), 64); err != nil {
			break
		}
		c.Measure, err = ParseMeasure(left)
		return c, err
	}
	return c, input.Errorf("invalid condition %q (want one like starved of prod <= 60, in the metric's unit)", text)
}

func (c Condition) String() string {
	return fmt.Sprintf("%s %s %v", c.Measure, c.operator, c.bound)
}

// Holds reports whether a number is as it is to be. Nothing is not.
func (c Condition) Holds(x *float64) bool {
	if x == nil {
		return false
	}
	switch c.operator {
	case "<=":
		return *x <= c.bound
	case ">=":
		return *x >= c.bound
	case "<":
		return *x < c.bound
	case ">":
		return *x > c.bound
	}
	return *x == c.bound
}
