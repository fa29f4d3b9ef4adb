package ytsaurus

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core"
)

// The scheduler and each controller agent write by clocks of their own. Effects recorded before
// their cause show how far the clocks are apart (ingest/trace/FORMAT.md §4.2): a job starts after
// its operation was materialized, and completes before its operation ends. Both bound the
// difference, from above and from below.

// unbelievable is a difference that is damage and not a clock's.
const unbelievable = 5 * 60 * core.Second

// A clock is what is known of how far an agent's clock is ahead of the scheduler's:
// at least low and at most high.
type clock struct {
	low, high core.Optional[core.Time]
	effects   int64 // operations whose jobs are recorded before their cause
}

// clockOf is what the jobs of an operation say of their agent's clock.
func clockOf(o *operation) (c clock) {
	began := max(o.start, o.startRow)
	if o.startRow != 0 && len(o.materialized) > 0 { // else it may have been materialized before the log
		began = max(began, slices.Min(o.materialized))
	}
	if o.firstJob != 0 && began != 0 {
		c.high = core.Some(o.firstJob - began)
	}
	if o.lastCompleted != 0 && o.end.time != 0 {
		c.low = core.Some(o.lastCompleted - o.end.time)
	}
	if c.high.Set && c.high.Value < -unbelievable || c.low.Set && c.low.Value > unbelievable {
		return clock{}
	}
	if c.behind() > 0 || c.ahead() > 0 {
		c.effects = 1
	}
	return c
}

// behind and ahead are how far the clock is off at least.
func (c *clock) behind() core.Time { return max(0, -c.high.Value) }
func (c *clock) ahead() core.Time  { return max(0, c.low.Value) }

// meet adds what another operation says of the same clock.
func (c *clock) meet(d clock) {
	if d.low.Set && (!c.low.Set || d.low.Value > c.low.Value) {
		c.low = d.low
	}
	if d.high.Set && (!c.high.Set || d.high.Value < c.high.Value) {
		c.high = d.high
	}
	c.effects += d.effects
}

// most is by how much the clock is off at most; 0 where nothing shows that it is off
// at all. Where the other bound is far or unknown, twice what shows and a second.
func (c *clock) most() core.Time {
	shown := max(c.behind(), c.ahead())
	if shown == 0 {
		return 0
	}
	far := 2*shown + core.Second
	switch {
	case c.behind() > 0 && c.ahead() > 0: // it was set in between
		return shown
	case c.behind() > 0 && c.low.Set:
		far = min(far, -c.low.Value)
	case c.ahead() > 0 && c.high.Set:
		far = min(far, c.high.Value)
	}
	return max(far, shown)
}

// A skew is how far the clocks of the log's writers are apart.
type skew struct {
	writers map[string]*clock // of structured log files
	late    clock             // of operations whose writer is not known, if it is behind
	early   clock             // or ahead

	violations int64     // effects that other rows record before their cause
	shown      core.Time // by how much, at most
}

// lag notes how long after its cause an effect was recorded by another writer: less than nothing
// is a difference of clocks.
func (s *skew) lag(after core.Time) {
	if after >= 0 || after < -unbelievable {
		return
	}
	s.violations++
	s.shown = max(s.shown, -after)
}

// compareClocks finds out how far the clocks are apart, from what operations and
// their jobs say.
func (a *assembly) compareClocks() {
	s := &a.agents
	s.writers = map[string]*clock{}
	for _, o := range a.operations {
		c := clockOf(o)
		switch {
		case o.writer != "":
			if s.writers[o.writer] == nil {
				s.writers[o.writer] = &clock{}
			}
			s.writers[o.writer].meet(c)
		case c.behind() > 0:
			s.late.meet(c)
		case c.ahead() > 0:
			s.early.meet(c)
		}
	}
}

// most is by how much two clocks differ at most, as far as the log shows.
func (s *skew) most() core.Time {
	most := max(s.shown, s.late.most(), s.early.most())
	for _, c := range s.writers {
		most = max(most, c.most())
	}
	return most
}

// notes say which clocks are off.
func (s *skew) notes() (all []string) {
	tell := func(who string, c *clock, by core.Time, where string) {
		if by > 0 {
			all = append(all, fmt.Sprintf("%s %s to %s s %s the scheduler's, by %d operations whose jobs are recorded out of turn.", who, inSeconds(by), inSeconds(c.most()), where, c.effects))
		}
	}
	for _, name := range sortedKeys(s.writers) {
		c := s.writers[name]
		tell("The clock of "+name+" is", c, c.behind(), "behind")
		tell("The clock of "+name+" is", c, c.ahead(), "ahead of")
	}
	tell("Clocks of controller agents are", &s.late, s.late.behind(), "behind")
	tell("Clocks of controller agents are", &s.early, s.early.ahead(), "ahead of")
	if s.violations > 0 {
		all = append(all, fmt.Sprintf("Clocks of nodes or agents differ by at least %s s: %d rows of jobs are recorded before what caused them.", inSeconds(s.shown), s.violations))
	}
	return all
}

func inSeconds(t core.Time) string { return fmt.Sprintf("%.3f", float64(t)/float64(core.Second)) }

// writerOf names the process whose structured log file a source is: by its folder and
// its name up to what rotation and packing added.
func writerOf(source string) string {
	dir, name := filepath.Split(source)
	name, _, _ = strings.Cut(name, ".")
	return filepath.Join(filepath.Base(dir), name)
}
