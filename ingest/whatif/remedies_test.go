package whatif

import (
	"strings"
	"testing"
)

// TestRemediesAreEdits: every cause that a change can take away has one, and each of its sizes is a
// file of edits.
func TestRemediesAreEdits(t *testing.T) {
	in := func(pool, option string) (float64, bool) {
		values := map[string]float64{"top resource_limits.cpu": 20, "narrow max_running_operation_count": 2, "peaks integral_guarantees.resource_flow.cpu": 2, "light weight": 1, "own resource_limits.memory": 5}
		v, ok := values[pool+" "+option]
		return v, ok
	}
	for _, test := range []struct {
		cause Cause
		want  string // sentences, each with its sizes
	}{
		{Cause{Kind: "ancestor_limit", Holder: "top", Resource: "cpu"}, "resource_limits.cpu of pool top is more than 20: 22 25 30 40 60 80 160 320"},
		{Cause{Kind: "own_limit", Pool: "own", Resource: "memory"}, "resource_limits.memory of pool own is more than 5: 6 7 8 10 15 20 40 80"},
		{Cause{Kind: "own_limit", Pool: "own", Operation: "x", Resource: "memory"}, ""},
		{Cause{Kind: "operation_count", Holder: "narrow"}, "max_running_operation_count of pool narrow is more than 2: 3 4 6 8 16 32"},
		{Cause{Kind: "excluded_nodes", Pool: "a"}, "scheduling_tag_filter of pool a is taken away: null"},
		{Cause{Kind: "excluded_nodes", Pool: "a", Holder: "b"}, "scheduling_tag_filter of pool b is taken away: null"},
		{Cause{Kind: "fragmentation", Tree: "t"}, "tree t has more nodes like n1: 1 more 2 more 4 more 8 more 16 more 32 more 64 more"},
		{Cause{Kind: "spent_volume", Holder: "peaks", Resource: "cpu"}, "integral_guarantees.resource_flow.cpu of pool peaks is more than 2: 2.2 2.5 3 4 6 8 16 32"},
		{Cause{Kind: "fair_shares_of_others", Pool: "light"}, "weight of pool light is more than 1: 1.1 1.25 1.5 2 3 4 8 16"},
		{Cause{Kind: "fair_shares_of_others", Pool: "light", Operation: "x"}, "the weight of operation x is more: 1.1 1.25 1.5 2 3 4 8 16"},
		{Cause{Kind: "others_over_fair_share", Obstacle: "non_preemptible", Holder: "h", HolderOperation: "o"}, "non_preemptible_resource_usage_threshold of pool h is taken away: null; operation o of pool h is not there: removed"},
		{Cause{Kind: "others_over_fair_share", Obstacle: "timeout_not_over", Pool: "a", Holder: "h"}, "fair_share_starvation_timeout of pool a is less than 30000 ms: 15000 7500 0"},
		{Cause{Kind: "others_over_fair_share", Obstacle: "aggressive_preemption_forbidden", Holder: "h"}, "allow_aggressive_preemption of pool h is on: true"},
		{Cause{Kind: "scheduling_delay"}, ""},
		{Cause{Kind: "less_than_a_job"}, ""},
	} {
		if test.cause.Tree == "" {
			test.cause.Tree = "t"
		}
		var got []string
		for _, r := range test.cause.Remedies(in, "n1") {
			got = append(got, r.Sentence+": "+strings.Join(r.Sizes, " "))
			if len(r.Sizes) != len(r.Edits) {
				t.Errorf("%s: %d sizes and %d edits", r.Sentence, len(r.Sizes), len(r.Edits))
			}
			for _, text := range r.Edits {
				if _, err := Parse("edits", []byte(text)); err != nil {
					t.Errorf("%s: %s: %v", r.Sentence, text, err)
				}
			}
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.cause, text, test.want)
		}
	}
}
