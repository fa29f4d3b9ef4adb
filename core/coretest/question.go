package coretest

import (
	"poolproof/core"
)

// A Question stands between the events of a scenario.
type Question struct {
	After int       // how many events come before it
	Time  core.Time // which may be later than theirs
	Kind  string    // ask or prove
	Node  core.NodeID

	declines core.OperationID // whose controller declines, Unknown for none
}

// ask notes a question.
func (s *Scenario) ask(at core.Time, kind, node string, o *settings) {
	q := Question{After: len(s.Events), Time: at, Kind: kind, Node: s.node(node), declines: core.Unknown}
	if name := o.text("declines"); name != "" {
		q.declines = s.operation(name)
	}
	s.Questions = append(s.Questions, q)
}

// Replay replays a scenario and calls answer at every question. The shares are
// updated every second, before the events of that second, as a scheduler does
// that decides by its last tick.
func (s *Scenario) Replay(p core.Profile, answer func(*core.Tree, *Question)) (*core.Tree, error) {
	tree, next := core.New(&s.Dimensions, p), core.Time(0)
	advance := func(to core.Time) error {
		for ; next <= to; next += core.Second {
			if err := tree.Update(next); err != nil {
				return err
			}
			tree.ClearChanges()
		}
		return nil
	}
	for i := 0; i <= len(s.Events); i++ {
		for k := range s.Questions {
			if q := &s.Questions[k]; q.After == i {
				if err := advance(q.Time); err != nil {
					return tree, err
				}
				answer(tree, q)
			}
		}
		if i < len(s.Events) {
			if err := advance(s.Events[i].Time); err != nil {
				return tree, err
			}
			tree.Step(&s.Events[i])
		}
	}
	return tree, nil
}

// A pending is the controllers of a scenario: each offers the smallest job that
// its operation waits for until it has what it needs, or declines.
type pending struct {
	core.Controller
	question *Question
}

func newPending(t *core.Tree, q *Question) *pending { return &pending{t.SmallestJobs(), q} }
