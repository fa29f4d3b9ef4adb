package tables

import "poolproof/core"

// A TreeSet is the row of one version of the settings above all trees, as long as
// it was in force or refused alike. It is of no tree.
type TreeSet struct {
	FromTime          core.Time            `col:"from_time" unit:"time" doc:"start of the span"`
	ToTime            core.Time            `col:"to_time" unit:"time" doc:"end of the span, exclusive"`
	ClippedFrom       bool                 `col:"clipped_from" doc:"whether the span began before the window"`
	ClippedTo         bool                 `col:"clipped_to" doc:"whether the span goes on after the window"`
	Trees             string               `col:"trees" doc:"trees that the cluster is to have, joined by commas"`
	Added             string               `col:"added_trees" doc:"those that the version before did not have, joined by commas"`
	Removed           string               `col:"removed_trees" doc:"those that only the version before had, joined by commas"`
	Default           string               `col:"default_tree" doc:"tree of operations that name none; empty if there is none"`
	MaxOperationCount core.Optional[int64] `col:"max_operation_count" unit:"operations" doc:"operations that the cluster may hold; null if not stated"`
	Refused           string               `col:"refused" doc:"why the scheduler keeps the trees it has; empty if it takes these"`
}

// A TreeChoice is the row of an operation that started or was refused, in one of the trees in
// which the log records it.
type TreeChoice struct {
	Time      core.Time            `col:"time" unit:"time" doc:"when it started or was refused"`
	Operation core.OperationID     `col:"operation" doc:"id of the operation"`
	Action    string               `col:"action" doc:"started or rejected"`
	Leading   bool                 `col:"is_first" doc:"whether the row is in the first of the operation's trees, so that each operation counts once"`
	Role      string               `col:"role" doc:"what the tree is to the operation: regular, tentative, probing or offloading, as the log says or else the spec implies; empty if neither does"`
	Trees     string               `col:"trees" doc:"trees in which the log records it, joined by commas"`
	Asked     string               `col:"asked_trees" doc:"pool_trees of the spec, joined by commas; empty if it names none or is not known"`
	Specified bool                 `col:"spec_known" doc:"whether the log holds the spec"`
	Erases    bool                 `col:"erases_full_trees" doc:"whether the spec sets erase_trees_with_pool_limit_violations"`
	Single    bool                 `col:"single_tree" doc:"whether the spec sets schedule_in_single_tree"`
	Live      int64                `col:"live_count" unit:"operations" doc:"operations that the cluster held before"`
	Limit     core.Optional[int64] `col:"limit_value" unit:"operations" doc:"operations that the cluster may hold; null if not stated"`
	ErrorCode core.Optional[int32] `col:"error_code" unit:"number" doc:"error of a refusal; null if none is recorded"`
}

// A TreeCheck is the row of one rule by which an operation was judged over all its
// trees. Every one of them has the row.
type TreeCheck struct {
	Time      core.Time                `col:"time" unit:"time" doc:"when what is judged happened"`
	Operation core.OperationID         `col:"operation" doc:"id of the operation"`
	Invariant string                   `col:"invariant" doc:"id of the rule"`
	Verdict   string                   `col:"verdict" words:"verdict" doc:"ok, undecidable, excused, suspect or violated"`
	Leading   bool                     `col:"is_first" doc:"whether the row is in the first of the trees that have it, so that each check counts once"`
	Trees     string                   `col:"trees" doc:"trees that the operation had then, joined by commas; of TREE-06, the tree to leave, or none where it is to end"`
	Expected  string                   `col:"expected_trees" doc:"trees that the rule gives it, joined by commas; empty if none or not known"`
	Ended     string                   `col:"ended" doc:"of TREE-06, how it left or ended: erased, banned, completed, failed or aborted; empty if it did not, and of other rules"`
	ErrorCode core.Optional[int32]     `col:"error_code" unit:"number" doc:"error of a refusal; null if it is none"`
	Until     core.Optional[core.Time] `col:"until" unit:"time" doc:"of TREE-06, when it left or ended; null if it did not, and of other rules"`
	Count     int64                    `col:"count" unit:"number" doc:"what was counted against the limit: live operations of CNT-08, trees of TREE-10; 0 of other rules"`
	Limit     int64                    `col:"limit_value" unit:"number" doc:"the limit; 0 if there is none"`
	Excuse    string                   `col:"excuse" doc:"why a correct scheduler may have broken the rule; empty if nothing excuses it"`
	Missing   string                   `col:"missing" doc:"what the log lacks to judge; empty if nothing"`
	JudgedBy  string                   `col:"judged" words:"judged" doc:"recorded, recomputed or possible: how well what is judged is known"`
}
