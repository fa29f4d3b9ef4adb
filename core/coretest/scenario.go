package coretest

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A Scenario is a list of events with the names of what they are about.
type Scenario struct {
	Dimensions core.Dimensions
	Events     []core.Event
	Questions  []Question

	pools, operations, nodes map[string]int
	jobs                     map[string]int
	total                    resource.Vector // of the last snapshot
}

// Parse reads the lines of a scenario. Blank lines and # comments are skipped.
func Parse(text string) (*Scenario, error) {
	s := &Scenario{pools: map[string]int{}, operations: map[string]int{}, nodes: map[string]int{}, jobs: map[string]int{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if err := s.add(words); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	return s, nil
}

// Sequence yields the events as a replay takes them.
func (s *Scenario) Sequence() iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		for i := range s.Events {
			if e := s.Events[i]; !yield(&e, nil) {
				return
			}
		}
	}
}

// id numbers a name in the order of appearance.
func id(names map[string]int, name string) int {
	if _, ok := names[name]; !ok {
		names[name] = len(names)
	}
	return names[name]
}

// pool returns the handle of a pool, which is ephemeral as long as no line configures it.
func (s *Scenario) pool(name string) core.PoolID {
	if name == "<Root>" || name == "" {
		return core.RootPool
	}
	n := id(s.pools, name)
	if n == len(s.Dimensions.Pools) {
		s.Dimensions.Pools = append(s.Dimensions.Pools, core.PoolInfo{Tree: "tree", Name: name, Ephemeral: true})
	}
	return core.PoolID(n)
}

func (s *Scenario) operation(name string) core.OperationID {
	n := id(s.operations, name)
	if n == len(s.Dimensions.Operations) {
		s.Dimensions.Operations = append(s.Dimensions.Operations, core.OperationInfo{ID: name, Type: "vanilla", User: "user"})
	}
	return core.OperationID(n)
}

func (s *Scenario) node(name string) core.NodeID {
	if name == "" {
		return core.Unknown
	}
	n := id(s.nodes, name)
	if n == len(s.Dimensions.Nodes) {
		s.Dimensions.Nodes = append(s.Dimensions.Nodes, name)
	}
	return core.NodeID(n)
}

// settings are the name=value words of a line, each to be used once.
type settings struct {
	values map[string]string
	err    error
}

func (o *settings) text(name string) string {
	v := o.values[name]
	delete(o.values, name)
	return v
}

func (o *settings) number(name string) core.Optional[float64] {
	text := o.text(name)
	if text == "" {
		return core.Optional[float64]{}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		o.err = err
	}
	return core.Some(v)
}

// instant reads a time in seconds.
func (o *settings) instant(name string) core.Optional[core.Time] {
	seconds := o.number(name)
	return core.Optional[core.Time]{Value: core.Time(seconds.Value * 1e6), Set: seconds.Set}
}

func (o *settings) count(name string) core.Optional[int64] {
	v := o.number(name)
	return core.Optional[int64]{Value: int64(v.Value), Set: v.Set}
}

// duration reads seconds.
func (o *settings) duration(name string) core.Optional[pooltree.Milliseconds] {
	v := o.number(name)
	return core.Optional[pooltree.Milliseconds]{Value: pooltree.Milliseconds(math.Round(v.Value * 1000)), Set: v.Set}
}

// flag reads 0 or 1.
func (o *settings) flag(name string) core.Optional[bool] {
	v := o.number(name)
	return core.Optional[bool]{Value: v.Value != 0, Set: v.Set}
}

func (o *settings) formula(name string) pooltree.Formula {
	f, err := pooltree.ParseTagFilter(o.text(name))
	if err != nil {
		o.err = err
	}
	return f
}

// units of an amount of each resource in a scenario.
var units = [resource.Kinds]float64{1, resource.CentsPerCore, 1, 1 << 30, 1}

func (o *settings) amounts(prefix string) (p resource.Partial) {
	for k := range units {
		if v := o.number(prefix + resource.Kind(k).String()); v.Set {
			p.Amounts[k], p.Set[k] = int64(math.Round(v.Value*units[k])), true
		}
	}
	return p
}

func (s *Scenario) add(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("want seconds and what happened")
	}
	seconds, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		return err
	}
	o := &settings{values: map[string]string{}}
	name := ""
	for _, w := range words[2:] {
		if key, value, ok := strings.Cut(w, "="); ok {
			o.values[key] = value
		} else {
			name = w
		}
	}
	e := core.Event{
		Time: core.Time(math.Round(seconds * 1e6)), Seq: int64(len(s.Events)),
		Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown, PendingJobs: -1,
	}
	asked := words[1] == "ask" || words[1] == "prove"
	if asked {
		s.ask(e.Time, words[1], name, o)
	} else if err := s.fill(&e, words[1], name, o); err != nil {
		return err
	}
	if o.err != nil {
		return o.err
	}
	for key := range o.values {
		return fmt.Errorf("unknown setting %q", key)
	}
	if !asked {
		s.Events = append(s.Events, e)
	}
	return nil
}
