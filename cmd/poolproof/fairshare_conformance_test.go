package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"poolproof/core/coretest/testcorpus"
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

// TestConformanceFairShare feeds the corpus to the calculator and compares what
// it writes with what is expected, where absent is zero.
func TestConformanceFairShare(t *testing.T) {
	for name, path := range testcorpus.Corpus(t, "fair-share") {
		t.Run(name, func(t *testing.T) {
			corpusLines(t, path, func(line corpusLine) {
				want := line.Expected
				if line.ExpectedClamped != nil {
					want = line.ExpectedClamped
				}
				t.Run(fmt.Sprint(want["id"]), func(t *testing.T) {
					for _, flags := range [][]string{{}, {"--compact"}} {
						checkOutput(t, line.Input, want, flags)
					}
				})
			})
		})
	}
}

func checkOutput(t *testing.T, input []byte, want map[string]any, flags []string) {
	out, _, _ := calculate(t, string(input)+"\n", flags...)
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
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

// FuzzFairShare checks that whatever a line holds, the calculator answers with
// one line of JSON: shares that are numbers, or a reason.
func FuzzFairShare(f *testing.F) {
	f.Add(oneLine(twoPools))
	f.Add(`{"nodes": [{"id": "r", "kind": "root", "mode": "fifo"}, {"id": "o", "kind": "operation", "parent": "r", "resource_demand": {"cpu": 1e15, "gpu": 1}}]}`)
	f.Add(`{"id": [], "total_resource_limits": {"cpu": 1}, "previous_update_time_us": 1, "now_us": 5, "nodes": [{"id": "r", "kind": "root"},
		{"id": "p", "kind": "pool", "parent": "r", "integral_guarantees": {"guarantee_type": "burst", "resource_flow": {"cpu": 1}},
		"integral_resources_state": {"accumulated_volume": {"cpu": 1e300}, "last_share_ratio": 1e308}}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, flags := range [][]string{{}, {"--compact"}, {"--table"}, {"--explain", "x"}} {
			var out, errout bytes.Buffer
			env := &environment{stdin: bytes.NewReader([]byte(oneLine(line))), stdout: &out, stderr: &errout}
			err := fairShareCommand(context.Background(), env, flags)
			if code := exitCode(context.Background(), err); code != exitKept && code != exitBadInput {
				t.Fatalf("exit code %d: %v", code, err)
			}
			if len(flags) < 1 && out.Len() > 0 && !json.Valid(out.Bytes()) {
				t.Fatalf("not JSON: %s", out.String())
			}
		}
	})
}
