package treejson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/pooltree"
)

// A corpusLine is one tree of the fair-share corpus.
type corpusLine struct {
	Input           json.RawMessage
	Expected        map[string]any
	ExpectedClamped map[string]any `json:"expected_clamped"`
}

// corpusLines calls each with the lines of a file of the corpus.
func corpusLines(t *testing.T, path string, each func(corpusLine)) {
	testcorpus.Lines(t, path, func(data []byte) {
		var line corpusLine
		if err := json.Unmarshal(data, &line); err != nil {
			t.Fatal(err)
		}
		each(line)
	})
}

// TestConformance compares what is written of the corpus with what is expected, where
// absent is zero.
func TestConformance(t *testing.T) {
	for name, path := range testcorpus.Corpus(t, "fair-share") {
		t.Run(name, func(t *testing.T) {
			corpusLines(t, path, func(line corpusLine) {
				want := line.Expected
				if line.ExpectedClamped != nil {
					want = line.ExpectedClamped
				}
				t.Run(fmt.Sprint(want["id"]), func(t *testing.T) {
					for _, compact := range []bool{false, true} {
						checkOutput(t, line.Input, want, compact)
					}
				})
			})
		})
	}
}

func checkOutput(t *testing.T, input []byte, want map[string]any, compact bool) {
	var got map[string]any
	if err := json.Unmarshal(answer(input, compact), &got); err != nil {
		t.Fatal(err)
	}
	if got["status"] != want["status"] || got["id"] != want["id"] {
		t.Fatalf("status %v of %v, want %v of %v: %v", got["status"], got["id"], want["status"], want["id"], got["errors"])
	}
	if want["status"] != "ok" {
		return
	}
	if a, b := fmt.Sprint(got["errors"]), fmt.Sprint(want["errors"]); a != b {
		t.Errorf("errors %s, want %s", a, b)
	}
	nodes, _ := want["nodes"].([]any)
	found, _ := got["nodes"].([]any)
	if len(nodes) == 0 || len(found) != len(nodes) {
		t.Fatalf("%d nodes, want %d", len(found), len(nodes))
	}
	for i := range nodes {
		w, _ := nodes[i].(map[string]any)
		delete(w, "functions")
		if !equalWithin(found[i], w) {
			t.Errorf("%v: got %v, want %v", w["id"], found[i], w)
		}
	}
}

// equalWithin compares JSON values, numbers within 1e-7; an absent one is zero.
func equalWithin(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil || equalWithin(b, nil)
	case string:
		return a == b
	case float64:
		y, ok := b.(float64)
		return (ok || b == nil) && math.Abs(x-y) <= 1e-7*max(1, math.Abs(y))
	case []any:
		y, ok := b.([]any)
		if !ok && b != nil || len(y) > len(x) {
			return false
		}
		for i := range x {
			var other any
			if i < len(y) {
				other = y[i]
			}
			if !equalWithin(x[i], other) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok && b != nil {
			return false
		}
		for key := range x {
			if !equalWithin(x[key], y[key]) {
				return false
			}
		}
		for key := range y {
			if _, known := x[key]; !known && !equalWithin(y[key], nil) {
				return false
			}
		}
		return true
	}
	return false
}

// FuzzTrees checks that whatever a line holds, the answer is one line of JSON: shares that
// are numbers, or a reason.
func FuzzTrees(f *testing.F) {
	f.Add(`{"id": "two", "total_resource_limits": {"cpu": 100}, "nodes": [{"id": "root", "kind": "root"},
		{"id": "a", "kind": "pool", "parent": "root", "strong_guarantee_resources": {"cpu": 60}, "max_share": 0.25},
		{"id": "x", "kind": "operation", "parent": "a", "resource_demand": {"cpu": 1000}, "weight": 3}]}`)
	f.Add(`{"nodes": [{"id": "r", "kind": "root", "mode": "fifo"}, {"id": "o", "kind": "operation", "parent": "r", "resource_demand": {"cpu": 1e15, "gpu": 1}}]}`)
	f.Add(`{"id": [], "total_resource_limits": {"cpu": 1}, "previous_update_time_us": 1, "now_us": 5, "nodes": [{"id": "r", "kind": "root"},
		{"id": "p", "kind": "pool", "parent": "r", "integral_guarantees": {"guarantee_type": "burst", "resource_flow": {"cpu": 1}},
		"integral_resources_state": {"accumulated_volume": {"cpu": 1e300}, "last_share_ratio": 1e308}}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, compact := range []bool{false, true} {
			if got := answer([]byte(line), compact); !json.Valid(got) || bytes.Count(got, []byte("\n")) != 1 {
				t.Fatalf("not a line of JSON: %s", got)
			}
		}
		if tree, err := Read([]byte(line), pooltree.Baseline); err == nil && tree.Update() == nil {
			tree.Rows()
			for id := range tree.byName {
				if err := tree.WriteExplanation(bufio.NewWriter(io.Discard), id); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// answer is the line that answers a line.
func answer(line []byte, compact bool) []byte {
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	tree, err := Read(line, pooltree.Baseline)
	if err == nil {
		err = tree.Update()
	}
	if err != nil {
		tree.WriteRefusal(out, 1, err)
	} else {
		tree.WriteResults(out, compact)
	}
	out.Flush()
	return b.Bytes()
}
