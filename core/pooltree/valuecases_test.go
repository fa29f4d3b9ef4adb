package pooltree

import (
	"encoding/json"
	"testing"

	"poolproof/core/resource"
)

// checkAmounts compares amounts with those that are named.
func checkAmounts(t *testing.T, what string, got resource.Vector, data json.RawMessage) {
	t.Helper()
	var a Attributes
	decode(t, data, &a)
	want := vector(t, a)
	for k, set := range want.Set {
		if set && got[k] != want.Amounts[k] {
			t.Errorf("%s: %v, want %s", what, got, data)
			return
		}
	}
}

func checkTagTotals(t *testing.T, s *scenario) {
	s.variants(t, func(given, expect map[string]json.RawMessage) {
		var nodes []struct {
			ID     string
			Tags   []string
			Limits Attributes `json:"resource_limits"`
		}
		var elements []struct {
			ID     string
			Filter string `json:"scheduling_tag_filter"`
		}
		decode(t, given["nodes"], &nodes)
		decode(t, given["elements"], &elements)
		totals := NewTagTotals()
		for i, n := range nodes[:len(nodes)/2] {
			totals.SetNode(i, NewTags(n.Tags...), vector(t, n.Limits).Amounts, true)
		}
		filters := map[string]Filter{}
		for _, e := range elements { // some nodes come before the filters, some after
			f, err := ParseTagFilter(e.Filter)
			if err != nil {
				t.Fatal(err)
			}
			filters[e.ID] = totals.Filter(f)
		}
		for i := len(nodes) / 2; i < len(nodes); i++ {
			totals.SetNode(i, nil, resource.Vector{1, 1, 1, 1, 1}, true) // not what it turns out to be
			totals.SetNode(i, NewTags(nodes[i].Tags...), vector(t, nodes[i].Limits).Amounts, true)
		}
		for id, want := range expect {
			checkAmounts(t, id, totals.Total(filters[id]), want)
		}
	})
}

func checkDemand(t *testing.T, s *scenario) {
	for _, data := range s.Cases {
		var c struct {
			Apply         bool
			Needed, Usage Attributes
			Limits        Attributes `json:"specified_limits"`
			Expect        json.RawMessage
		}
		decode(t, data, &c)
		got := Demand(vector(t, c.Needed).Amounts, vector(t, c.Usage).Amounts, vector(t, c.Limits), c.Apply)
		checkAmounts(t, string(data), got, c.Expect)
	}
}

func checkHang(t *testing.T, s *scenario) {
	var chain []struct {
		ID     string
		Limits *Attributes `json:"specified_limits"`
	}
	decode(t, s.Given["chain"], &chain)
	var given struct {
		Ancestors *bool      `json:"enable_limiting_ancestor_check"`
		Ancestor  float64    `json:"limiting_ancestor_safe_timeout"`
		Safe      float64    `json:"safe_timeout"`
		Attempts  int64      `json:"min_schedule_job_attempts"`
		MinNeeded Attributes `json:"min_needed"`
	}
	data, _ := json.Marshal(s.Given)
	decode(t, data, &given)
	options := HangOptions{
		SafeTimeout: Some(Milliseconds(given.Safe * 1000)), AncestorTimeout: Some(Milliseconds(given.Ancestor * 1000)),
		MinAttempts: Some(given.Attempts), CheckAncestors: given.Ancestors == nil || *given.Ancestors,
	}
	in := HangInput{Pending: 1, MinNeeded: vector(t, given.MinNeeded).Amounts}
	for _, e := range chain {
		var limits resource.Partial
		if e.Limits != nil {
			limits = vector(t, *e.Limits)
		}
		in.Chain = append(in.Chain, limits)
	}
	var hang Hang
	for _, data := range s.Ticks {
		var tick struct {
			T        float64
			Attempts int64
			Expect   string
			Limiting string `json:"limiting_ancestor"`
		}
		decode(t, data, &tick)
		in.Now, in.Attempts = Milliseconds(tick.T*1000), tick.Attempts
		verdict, limiting := hang.Check(&options, &in)
		if got := []string{"ok", "fail_hung", "fail_limiting_ancestor"}[verdict]; got != tick.Expect {
			t.Errorf("%s: %s", data, got)
		}
		if tick.Limiting != "" && (limiting < 0 || chain[limiting].ID != tick.Limiting) {
			t.Errorf("%s: limited by %d", data, limiting)
		}
	}
}
