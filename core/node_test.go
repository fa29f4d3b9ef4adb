package core_test

import (
	"testing"

	"poolproof/core"
)

// The interval of a node is the longest time between two of its heartbeats in which
// both it and the scheduler were there, and no longer than the scheduler waits for a node.
func TestTheIntervalOfANode(t *testing.T) {
	tree := core.New(&core.Dimensions{Nodes: []string{"n"}}, core.Baseline)
	tree.SetAllHeartbeats()
	for _, c := range []struct {
		at   core.Time
		kind core.Kind
		word string // of the event, where there are several of its kind
		want core.Time
	}{
		{1, core.NodeChanged, "online", 0},
		{2, core.HeartbeatReceived, "", 0},
		{8, core.HeartbeatReceived, "", 6},
		{12, core.HeartbeatReceived, "", 6},
		{32, core.HeartbeatReceived, "", 20},
		{33, core.NodeChanged, "offline", 20},
		{60, core.NodeChanged, "online", 20},
		{61, core.HeartbeatReceived, "", 20},
		{62, core.ProcessChanged, "master_disconnected", 20},
		{85, core.ProcessChanged, "master_connected", 20},
		{86, core.HeartbeatReceived, "", 20},
		{126, core.HeartbeatReceived, "", 40},
		{187, core.HeartbeatReceived, "", 40},
	} {
		e := core.Event{Time: c.at * core.Second, Kind: c.kind}
		switch c.kind {
		case core.NodeChanged:
			e.Online = c.word == "online"
		case core.ProcessChanged:
			e.Process = c.word
		}
		tree.Step(&e)
		if got := tree.Node(0).Interval; got != c.want*core.Second {
			t.Errorf("at %d s it is %d µs, want %d s", c.at, got, c.want)
		}
	}
}
