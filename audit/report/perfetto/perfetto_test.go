package perfetto

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"poolproof/audit/report/perfetto/perfettotest"
)

// told is what a trace says, one line per event: µs/track, type, name and the rest.
func told(t *testing.T, trace *Trace) (*perfettotest.Trace, string) {
	t.Helper()
	b := trace.Bytes()
	if !bytes.Equal(b, trace.Bytes()) {
		t.Error("other bytes the next time")
	}
	read, err := perfettotest.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range read.Events {
		line := fmt.Sprintf("%d/%d %s %s", e.At/1000, e.Track, [...]string{1: "begin", 2: "end", 3: "instant", 4: "count"}[e.Type], e.Name)
		for name, text := range e.Notes {
			line += " " + name + "=" + text
		}
		if e.Type == perfettotest.Counter {
			line += fmt.Sprint(e.Value)
		}
		if e.From != 0 {
			line += " out"
		}
		if e.Into != 0 {
			line += " in"
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return read, strings.Join(lines, "\n")
}

func TestATraceIsReadBack(t *testing.T) {
	var trace Trace
	pool := trace.Track(Track{}, 0, "pool prod", "its description")
	operation := trace.Track(pool, 7, "operation a", "")
	usage := trace.Counter(pool, 1, "usage", "share")
	trace.Slice(pool, 2, 4, "starving", Note{"finding", "19eb"})
	trace.Set(usage, 1, 0.25)
	trace.Flow(operation, pool, 3, "preempts", "preempted")
	trace.Slice(pool, 4, 6, "starving again")
	trace.Slice(pool, 5, 5, "no time")

	read, events := told(t, &trace)
	if want := "1/3 count 0.25\n2/1 begin starving finding=19eb\n3/2 instant preempts out\n3/1 instant preempted in\n4/1 end\n4/1 begin starving again\n5/1 instant no time\n6/1 end"; events != want {
		t.Errorf("got\n%s\nwant\n%s", events, want)
	}
	// The default clock, of the boot, shows real time.
	if len(read.Clocks) != 2 || read.Clocks[1] != 1000 || read.Clocks[6] != 1000 {
		t.Errorf("clocks %v", read.Clocks)
	}
	want := []perfettotest.Track{{Name: "pool prod", Description: "its description"}, {Name: "operation a", Parent: 1, Rank: 7}, {Name: "usage", Parent: 1, Rank: 1, Unit: "share", IsCounter: true}}
	for i, id := range read.Order {
		if read.Tracks[id] != want[i] {
			t.Errorf("track %d is %v", i, read.Tracks[id])
		}
	}
}

// Slices that overlap stand in lanes of one name, and each lane is used again.
func TestLanes(t *testing.T) {
	var trace Trace
	l := trace.Lanes(Track{}, 0, "findings")
	for _, s := range [][2]int64{{0, 4}, {1, 2}, {2, 2}, {2, 5}, {4, 6}} {
		l.Slice(s[0], s[1], "x")
	}
	read, _ := told(t, &trace)
	for _, is := range read.Tracks {
		if is.Name != "findings" {
			t.Errorf("a lane is called %q", is.Name)
		}
	}
	var tracks []uint64
	for _, e := range read.Events {
		if e.Type != perfettotest.End {
			tracks = append(tracks, e.Track)
		}
	}
	// The instant at 2 stands in the second lane, so that the span from 2 on needs a third.
	if want := []uint64{1, 2, 3, 2, 1}; !slices.Equal(tracks, want) {
		t.Errorf("tracks %v, want %v", tracks, want)
	}
}
