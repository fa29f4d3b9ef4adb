package reconstruct

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// TestInterruptions has jobs start on a node of 3 slots, where those that end quietly
// within 10 s may have made room for one that finds none.
func TestInterruptions(t *testing.T) {
	type job struct {
		name            string
		start, to, size int64
		quiet           bool
		forJob          string
		within          int64
	}
	second := func(n int64) core.Time { return core.Time(n) * core.Second }
	for name, c := range map[string]struct {
		jobs []job
		want string // jobs, and how many seconds early
	}{
		"all fit":                             {[]job{{name: "a", start: 1, to: 20, size: 2, quiet: true}, {name: "b", start: 15, to: 60, size: 1}}, ""},
		"one made room":                       {[]job{{name: "a", start: 1, to: 20, size: 2, quiet: true}, {name: "b", start: 15, to: 60, size: 2}}, "a 5"},
		"any of two may have":                 {[]job{{name: "a", start: 1, to: 20, size: 1, quiet: true}, {name: "b", start: 1, to: 24, size: 2, quiet: true}, {name: "c", start: 15, to: 60, size: 1}}, "a 5, b 9"},
		"it stayed too long":                  {[]job{{name: "a", start: 1, to: 26, size: 2, quiet: true}, {name: "b", start: 15, to: 60, size: 2}}, ""},
		"its end is told otherwise":           {[]job{{name: "a", start: 1, to: 20, size: 2}, {name: "b", start: 15, to: 60, size: 2}}, ""},
		"the log names who made room":         {[]job{{name: "a", start: 1, to: 20, size: 2, forJob: "b"}, {name: "c", start: 1, to: 20, size: 1, quiet: true}, {name: "b", start: 15, to: 60, size: 1}}, ""},
		"and one before it made too little":   {[]job{{name: "a", start: 1, to: 20, size: 2, forJob: "b"}, {name: "c", start: 1, to: 20, size: 1, quiet: true}, {name: "b", start: 15, to: 60, size: 2}}, "c 5"},
		"that one may be there still":         {[]job{{name: "a", start: 1, to: 20, size: 2, forJob: "b"}, {name: "c", start: 1, to: 20, size: 1, quiet: true}, {name: "b", start: 15, to: 24, size: 2, quiet: true}, {name: "d", start: 16, to: 60, size: 1}}, "b 8, c 5"},
		"who made room is gone for others":    {[]job{{name: "a", start: 1, to: 20, size: 2, forJob: "b"}, {name: "b", start: 15, to: 60, size: 1}, {name: "c", start: 16, to: 60, size: 2}}, ""},
		"the start may have been later":       {[]job{{name: "a", start: 1, to: 29, size: 2, quiet: true}, {name: "b", start: 15, to: 60, size: 2, within: 5}}, "a 14"},
		"one that ended before made no room":  {[]job{{name: "a", start: 1, to: 15, size: 3, quiet: true}, {name: "b", start: 15, to: 60, size: 2}}, ""},
		"what may be gone is not taken again": {[]job{{name: "a", start: 1, to: 20, size: 2, quiet: true}, {name: "b", start: 15, to: 60, size: 2}, {name: "c", start: 18, to: 60, size: 1}}, "a 5"},
	} {
		i := NewInterruptions(second(10))
		for _, j := range c.jobs {
			i.Start(1, trace.Resources{UserSlots: 3}, Tenant{
				Job: j.name, For: j.forJob, Start: second(j.start), Finish: second(j.to), Within: second(j.within), Limits: trace.Resources{UserSlots: j.size}, Quiet: j.quiet,
			})
		}
		var got []string
		for _, j := range c.jobs {
			if early := i.Early(j.name); early > 0 {
				got = append(got, fmt.Sprint(j.name, " ", int64(early/core.Second)))
			}
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
