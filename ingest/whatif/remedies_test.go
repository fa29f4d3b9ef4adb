package whatif

import (
	"strings"
	"testing"
)

// TestRemediesAreEdits: every cause that a change can take away has one, and each of its sizes is a
// file of edits.
func TestRemediesAreEdits(t *testing.T) {
	in := func(kind, name, option string) (float64, bool) {
		values := map[string]float64{"pool top resource_limits.cpu": 20, "pool narrow max_running_operation_count": 2, "pool peaks integral_guarantees.resource_flow.cpu": 2, "pool light weight": 1, "pool own resource_limits.memory": 5 << 30,
			"operation x weight": 5, "operation x resource_limits.cpu": 10, "pool lenient fair_share_starvation_tolerance": 0.8}
		v, ok := values[kind+" "+name+" "+option]
		return v, ok
	}
	for _, test := range []struct {
		cause Cause
		want  string // sentences, each with its sizes
	}{
		{Cause{Kind: "ancestor_limit", Holder: "top", Resource: "cpu"}, "resource_limits.cpu of pool top is raised from 20 cores: to 22 cores, to 25 cores, to 30 cores, to 40 cores, to 60 cores, to 80 cores, to 160 cores, to 320 cores"},
		{Cause{Kind: "own_limit", Pool: "own", Resource: "memory"}, "resource_limits.memory of pool own is raised from 5 GiB of memory: to 5.5 GiB of memory, to 6.25 GiB of memory, to 7.5 GiB of memory, to 10 GiB of memory, to 15 GiB of memory, to 20 GiB of memory, to 40 GiB of memory, to 80 GiB of memory"},
		{Cause{Kind: "own_limit", Pool: "own", Operation: "x", Resource: "memory"}, ""},
		{Cause{Kind: "own_limit", Pool: "own", Operation: "x", Resource: "cpu"}, "resource_limits.cpu of operation x is raised from 10 cores: to 11 cores, to 12.5 cores, to 15 cores, to 20 cores, to 30 cores, to 40 cores, to 80 cores, to 160 cores"},
		{Cause{Kind: "operation_count", Holder: "narrow"}, "max_running_operation_count of pool narrow is raised from 2 operations: to 3 operations, to 4 operations, to 6 operations, to 8 operations, to 16 operations, to 32 operations"},
		{Cause{Kind: "excluded_nodes", Pool: "a"}, "scheduling_tag_filter of pool a is taken away: "},
		{Cause{Kind: "excluded_nodes", Pool: "a", Holder: "b"}, "scheduling_tag_filter of pool b is taken away: "},
		{Cause{Kind: "fragmentation", Tree: "t"}, "tree t is enlarged: by 1 node like n1, by 2 nodes like n1, by 4 nodes like n1, by 8 nodes like n1, by 16 nodes like n1, by 32 nodes like n1, by 64 nodes like n1"},
		{Cause{Kind: "spent_volume", Holder: "peaks", Resource: "cpu"}, "integral_guarantees.resource_flow.cpu of pool peaks is raised from 2 cores: to 2.2 cores, to 2.5 cores, to 3 cores, to 4 cores, to 6 cores, to 8 cores, to 16 cores, to 32 cores"},
		{Cause{Kind: "fair_shares_of_others", Pool: "light"}, "weight of pool light is raised from 1: to 1.1, to 1.25, to 1.5, to 2, to 3, to 4, to 8, to 16"},
		{Cause{Kind: "fair_shares_of_others", Pool: "light", Operation: "x"}, "weight of operation x is raised from 5: to 5.5, to 6.25, to 7.5, to 10, to 15, to 20, to 40, to 80"},
		{Cause{Kind: "others_over_fair_share", Obstacle: "non_preemptible", Holder: "h", HolderOperation: "o"}, "non_preemptible_resource_usage_threshold of pool h is taken away: ; operation o of pool h is not there: "},
		{Cause{Kind: "others_over_fair_share", Obstacle: "timeout_not_over", Pool: "a", Holder: "h"}, "fair_share_starvation_timeout of pool a is lowered from 30 s: to 15 s, to 7.5 s, to 0 s"},
		{Cause{Kind: "others_over_fair_share", Obstacle: "aggressive_preemption_forbidden", Holder: "h"}, "allow_aggressive_preemption of pool h is on: "},
		{Cause{Kind: "others_over_fair_share", Obstacle: "not_starving", Pool: "lenient", Holder: "h"}, "fair_share_starvation_tolerance of pool lenient is raised from 0.8: to 1"},
		{Cause{Kind: "scheduling_delay"}, ""},
		{Cause{Kind: "less_than_a_job"}, ""},
	} {
		if test.cause.Tree == "" {
			test.cause.Tree = "t"
		}
		var got []string
		for _, r := range test.cause.Remedies(in, "n1") {
			got = append(got, r.Sentence+": "+strings.Join(r.Sizes, ", "))
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
