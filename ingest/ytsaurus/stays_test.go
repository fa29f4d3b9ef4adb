package ytsaurus

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
)

// TestStays divides the rows of one job id by the jobs that they tell of.
func TestStays(t *testing.T) {
	start := func(address string, at core.Time) jobRow {
		return jobRow{event: jobStarted, address: address, time: at}
	}
	end := func(address string, from, to core.Time) jobRow {
		return jobRow{event: jobCompleted, address: address, start: core.Some(from), finish: core.Some(to)}
	}
	for _, c := range []struct {
		name         string
		starts, ends []jobRow
		want         string // node:starts/ends of each job
	}{
		{"one job, its start told twice", []jobRow{start("a", 2), start("a", 5)}, []jobRow{end("a", 1, 9)}, "a:2/1"},
		{"one job, its end told twice", []jobRow{start("a", 2), start("a", 5)}, []jobRow{end("a", 1, 8), end("a", 1, 9)}, "a:2/2"},
		{"two nodes", []jobRow{start("a", 2), start("b", 3)}, []jobRow{end("b", 2, 8), end("a", 1, 9)}, "a:1/1 b:1/1"},
		{"two nodes, one without an end", []jobRow{start("a", 2), start("b", 3)}, []jobRow{end("a", 1, 9)}, "a:1/1 b:1/0"},
		{"two jobs of one node", []jobRow{start("a", 2), start("a", 5)}, []jobRow{end("a", 1, 3), end("a", 4, 9)}, "a:1/1 a:1/1"},
		{"an end of a third node without a start", []jobRow{start("a", 2), start("b", 3)}, []jobRow{end("a", 1, 9), end("b", 2, 9), end("c", 3, 9)}, "a:1/2 b:1/1"},
		{"no end", []jobRow{start("a", 2), start("a", 5)}, nil, "a:2/0"},
		{"a start without a node", []jobRow{start("", 2), start("b", 3)}, []jobRow{end("a", 1, 9)}, "a:1/1 b:1/0"},
	} {
		var got []string
		for _, s := range staysOf(c.starts, c.ends) {
			got = append(got, fmt.Sprintf("%s:%d/%d", s.address, len(s.starts), len(s.ends)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, " "), c.want)
		}
	}
}
