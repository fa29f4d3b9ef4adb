package pooltree

import (
	"strings"
	"testing"
)

func brief(errs []*RuleError) string {
	var lines []string
	for _, e := range errs {
		lines = append(lines, strings.TrimSpace(strings.Join([]string{string(e.Rule), e.Tree, e.Pool, e.Option, e.Detail}, "|")))
	}
	return strings.Join(lines, "\n")
}

func TestLintFindsEverything(t *testing.T) {
	tree := &StoredTree{
		Options: Attributes{
			"nodes_filter": "a & & b", "weight": 1, "custom": 1, "waiting_job_timeout": 1,
			"pool_config_presets": map[string]any{"good": map[string]any{}, "bad": map[string]any{"mode": "fifo"}},
		},
		Pools: []StoredPool{
			{"a", "", Attributes{"mode": "fifo", "weight": -1, "config_preset": "good"}},
			{"b", "a", Attributes{"config_preset": "none"}},
			{"a", "b", nil},
			{"lost", "gone", nil},
			{"with it", "lost", Attributes{"max_share_ratio": 2}},
			{"c", "a", Attributes{"fair_share_preemption_timeout": 1, "fair_share_starvation_timeout": 1}},
		},
	}
	want := `bad_formula|||nodes_filter|position 5: expected a tag, %true, %false, ! or (, found "&"
preset_option|||pool_config_presets|preset bad: mode
not_a_tree_attribute|||weight|
unknown_option|||custom|"custom"
out_of_range||a|weight|want a number of 0 or above, got -1
duplicate_name||a||
out_of_range||with it|max_share_ratio|want a number in [0, 1], got 2
alias_conflict||c|fair_share_preemption_timeout|beside fair_share_starvation_timeout
no_such_parent||lost||gone
fifo_with_children||b||its parent a is one
unknown_preset||b|config_preset|none
fifo_with_children||c||its parent a is one
waiting_timeout|||waiting_job_timeout|1 ms below 10000 ms`
	if got := brief(Lint(Documented, tree, Cluster{})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	legal := &StoredTree{Options: Attributes{"nodes_filter": "a & b"}, Pools: []StoredPool{{"a", "", Attributes{"weight": 0}}, {"b", "a", nil}}}
	if errs := Lint(Documented, legal, Cluster{}); errs != nil {
		t.Error(errs)
	}
}

func TestLintTrees(t *testing.T) {
	filter := func(text string) Formula {
		f, err := ParseFormula(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	set := &TreeSet{Default: "gone", Trees: []TreeFilter{{"cpu", filter("!gpu")}, {"gpu", filter("gpu | test")}, {"all", filter("every")}}}
	nodes := []TaggedNode{{"n1", NewTags("gpu")}, {"n2", NewTags("test")}, {"n3", NewTags()}, {"n4", NewTags("test", "x")}, {"n5", NewTags("every")}}
	want := `no_default_tree|||default_tree|gone
overlapping_filters|cpu||nodes_filter|n2 matches cpu and gpu, and 1 more
overlapping_filters|cpu||nodes_filter|n5 matches cpu and all`
	if got := brief(LintTrees(set, nodes)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if errs := LintTrees(&TreeSet{Default: "gpu", Trees: set.Trees}, nodes[:1]); errs != nil {
		t.Error(errs)
	}
}
