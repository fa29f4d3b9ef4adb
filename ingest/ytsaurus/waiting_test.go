package ytsaurus

import (
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A record of zeros shows that an operation waits, and one of an enabled operation without demand, which has a
// reason, does not.
func TestRecordsOfWaitingOperations(t *testing.T) {
	none, some := trace.Resources{}, trace.Resources{UserSlots: 1}
	zero := core.Some(none)
	for name, c := range map[string]struct {
		element
		want bool
	}{
		"zeros of 1970":              {element{limits: zero, unstarted: core.Some(true)}, true},
		"zeros without a start":      {element{limits: zero}, true},
		"no limits recorded, 1970":   {element{unstarted: core.Some(true)}, true},
		"no limits recorded":         {element{}, false},
		"limits":                     {element{limits: core.Some(some)}, false},
		"nothing to do":              {element{limits: zero, unschedulable: "no_pending_jobs"}, false},
		"demand, and nothing for it": {element{limits: zero, demand: some}, false},
		"usage without demand":       {element{limits: zero, usage: some}, false},
		"not materialized":           {element{limits: core.Some(some), unschedulable: "is_not_running"}, true},
	} {
		if got := c.waits(); got != c.want {
			t.Errorf("%s: waits %v", name, got)
		}
	}
}
