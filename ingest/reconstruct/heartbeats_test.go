package reconstruct

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// Starts that are close on one node are one heartbeat, ends are told when they
// come, and a sample says what the node said.
func TestHeartbeats(t *testing.T) {
	var got strings.Builder
	h := NewHeartbeats(func(b *trace.Heartbeat) error {
		fmt.Fprintf(&got, "%d node %d %s usage %d after %d running %d +%d -%d of %d\n", b.Time/1000, b.Node, b.Kind, b.Usage.UserSlots,
			b.After.Value.UserSlots, b.Running, b.Started, b.Finished, b.Limit.UserSlots)
		return nil
	})
	slots := func(n int64) trace.Resources { return trace.Resources{UserSlots: n} }
	milli := func(n int) core.Time { return core.Time(n) * 1000 }
	h.Limit(1, slots(9))
	steps := []error{
		h.Start(milli(100), 1, slots(2)), h.Start(milli(110), 2, slots(1)), h.Start(milli(149), 1, slots(3)),
		h.Start(milli(150), 1, slots(1)), h.End(milli(200), 1, slots(2)), h.Start(milli(200), 1, slots(4)),
		h.Sample(milli(300), 1, slots(8), slots(7)), h.End(milli(301), 1, slots(3)), h.Flush(),
	}
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := `100 node 1 reconstructed usage 0 after 5 running 0 +2 -0 of 9
110 node 2 reconstructed usage 0 after 1 running 0 +1 -0 of 0
150 node 1 reconstructed usage 5 after 6 running 2 +1 -0 of 9
200 node 1 reconstructed usage 4 after 8 running 2 +1 -1 of 9
300 node 1 sampled usage 7 after 0 running 3 +0 -0 of 8
301 node 1 reconstructed usage 5 after 5 running 2 +0 -1 of 8
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
