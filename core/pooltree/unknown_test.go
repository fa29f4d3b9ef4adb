package pooltree

import (
	"slices"
	"strings"
	"testing"
)

// TestEveryMistypedOptionIsNamed drops a letter of each name: the name that was meant is told,
// of trees, pools and operations, whatever of its names it is.
func TestEveryMistypedOptionIsNamed(t *testing.T) {
	for holder, unknown := range map[string]func(name string) string{
		"tree":      func(name string) string { return detailOf(UnknownTreeOptions(Attributes{name: 1}, false)) },
		"old tree":  func(name string) string { return detailOf(UnknownTreeOptions(Attributes{name: 1}, true)) },
		"pool":      func(name string) string { return detailOf(UnknownPoolOptions(Attributes{name: 1})) },
		"operation": UnknownSpecOption,
	} {
		known := map[string][]string{"pool": names(poolOptions), "operation": SpecOptions()}[holder]
		if known == nil {
			known = names(treeOptions)
		}
		for _, name := range known {
			if text := unknown(name); text != "" {
				t.Errorf("%s: %s is known, and it is told: %s", holder, name, text)
			}
			typo := name[:len(name)/2] + name[len(name)/2+1:]
			if slices.Contains(known, typo) || len(typo) < 6 && !strings.Contains(holder, "tree") {
				continue
			}
			if text := unknown(typo); !strings.Contains(text, name) {
				t.Errorf("%s: %s for %s: %q", holder, typo, name, text)
			}
		}
	}
}

func detailOf(errs []*RuleError) string {
	if len(errs) == 0 {
		return ""
	}
	return errs[0].Detail
}

// TestWhatIsNoOptionIsLeftAlone: a cluster keeps attributes of every object, pools have custom ones,
// and specs hold what scheduling does not ask for.
func TestWhatIsNoOptionIsLeftAlone(t *testing.T) {
	for _, name := range append(slices.Clone(objectAttributes), "team_chat", "responsible", "contact", "x") {
		if errs := UnknownPoolOptions(Attributes{name: 1}); len(errs) > 0 {
			t.Errorf("pool: %v", errs[0])
		}
	}
	for _, name := range objectAttributes {
		if errs := UnknownTreeOptions(Attributes{name: 1}, true); len(errs) > 0 {
			t.Errorf("tree: %v", errs[0])
		}
	}
	for _, name := range []string{
		"acl", "alias", "annotations", "auto_merge", "core_table_path", "data_weight_per_job", "description", "enable_job_splitting",
		"fail_on_job_restart", "input_table_paths", "intermediate_data_account", "job_count", "job_io", "map_job_count", "mapper",
		"max_failed_job_count", "max_speculative_job_count_per_task", "max_stderr_count", "output_table_paths", "partition_count",
		"reduce_by", "reducer", "sampling", "secure_vault", "sort_by", "started_by", "stderr_table_path", "suspend_operation_if_account_limit_exceeded",
		"table_writer", "tasks", "time_limit", "title", "unavailable_chunk_strategy", "unavailable_chunk_tactics",
	} {
		if text := UnknownSpecOption(name); text != "" {
			t.Errorf("spec: %s", text)
		}
	}
}

// TestWhatNewerSchedulersKnowIsTold: an option that nothing here goes by is no custom attribute.
func TestWhatNewerSchedulersKnowIsTold(t *testing.T) {
	for _, name := range withoutEffect {
		if len(UnknownPoolOptions(Attributes{name: 1})) == 0 && len(UnknownTreeOptions(Attributes{name: 1}, true)) == 0 {
			t.Errorf("nothing is told of %s", name)
		}
	}
}

func TestKeysOfMapsOfOptionsAreChecked(t *testing.T) {
	for option, key := range map[string]string{
		"ssd_priority_preemption": "nod_tag_filter", integralName: "smoth_period", "packing": "metrc", "scheduling_segments": "mod",
	} {
		if errs := UnknownTreeOptions(Attributes{option: map[string]any{key: 1}}, false); len(errs) != 1 || errs[0].Option != option {
			t.Errorf("%s/%s: %v", option, key, errs)
		}
	}
	for option, key := range map[string]string{integralName: "resource_flw", "ephemeral_subpool_config": "modee", "historic_usage_config": "alpha"} {
		if errs := UnknownPoolOptions(Attributes{option: map[string]any{key: 1}}); len(errs) != 1 || errs[0].Option != option {
			t.Errorf("%s/%s: %v", option, key, errs)
		}
	}
}

// TestATemplateGoesUnderAnOptionWhateverItIsCalled: two names of one option are no conflict where
// one stands in a template.
func TestATemplateGoesUnderAnOptionWhateverItIsCalled(t *testing.T) {
	under := []Template{{Options: Attributes{"nodes_filter": "old", "waiting_job_timeout": 5}}}
	c, errs := ParseTree(Current, TreeAttributes("t", Attributes{"node_tag_filter": "new"}, under))
	if len(errs) > 0 || c.NodesFilter.String() != "new" || c.WaitingJobTimeout.Value != 5 {
		t.Errorf("%v %+v", errs, c.NodesFilter)
	}
}
