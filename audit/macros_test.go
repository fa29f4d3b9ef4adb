package audit

import (
	"database/sql"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// macroExamples are calls of the shared macros and what comes out.
var macroExamples = map[string][][2]string{
	"span_seconds":   {{"span_seconds(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:01:00.5')", "60.5"}},
	"span_text":      {{"internal.span_text(0.25)", "0.25 s"}, {"internal.span_text(59.9)", "59 s"}, {"internal.span_text(0)", "0 s"}, {"internal.span_text(450)", "7 min 30 s"}, {"internal.span_text(11100)", "3 h 05 min"}},
	"number_text":    {{"internal.number_text(6)", "6"}, {"internal.number_text(2.25)", "2.25"}, {"internal.number_text(-1234567.5)", "-1,234,567.5"}},
	"seconds_text":   {{"internal.seconds_text(130)", "130 s"}, {"internal.seconds_text(1.25)", "1.25 s"}},
	"share_text":     {{"internal.share_text(0.125)", "12.5 %"}},
	"unit_text":      {{"internal.unit_text(1, 'cores')", "1 core"}, {"internal.unit_text(2.5, 'cores')", "2.5 cores"}, {"internal.unit_text(12345.6, 'jobs')", "12,346 jobs"}},
	"natural_amount": {{"internal.natural_amount('cpu', 250, 'milli_cpu')", "2.5"}, {"internal.natural_amount('gpu', 1500, 'milli_gpu')", "1.5"}, {"internal.natural_amount('gpu', 2, 'devices')", "2"}, {"internal.natural_amount('memory', 7, 'bytes')", "7"}},
	"source_unit":    {{"internal.source_unit('none') IS NULL", "true"}},
	"side_value":     {{"internal.side_value(600, 'amount', 'cpu', 'devices')", "6"}, {"internal.side_value(3221225472, 'amount', 'memory', 'devices')", "3"}, {"internal.side_value(30000000, 'µs', 'cpu', 'devices')", "30"}, {"internal.side_value(0.25, 'share', 'cpu', 'devices')", "0.25"}, {"internal.side_value(2, 'amount', 'gpu', 'devices')", "2"}, {"internal.side_value(1500, 'amount', 'gpu', 'milli_gpu')", "1.5"}, {"internal.side_value(0, '', 'cpu', 'devices') IS NULL", "true"}},
	"side_unit_text": {{"internal.side_unit_text('amount', 'cpu')", "cores"}, {"internal.side_unit_text('amount', 'memory')", "GiB"}, {"internal.side_unit_text('amount', 'gpu')", "devices"}, {"internal.side_unit_text('amount', 'user_slots')", "slots"}, {"internal.side_unit_text('amount', 'network')", "units"}, {"internal.side_unit_text('µs', NULL)", "s"}, {"internal.side_unit_text('priority', NULL)", "priority"}, {"internal.side_unit_text('', NULL) IS NULL", "true"}},
	"amount_text":    {{"internal.amount_text('memory', 1073741824)", "1 GiB of memory"}, {"internal.amount_text('cpu', 2.5)", "2.5 cores"}, {"internal.amount_text('user_slots', 3)", "3 user slots"}, {"internal.amount_text('network', 3)", "3 units of network"}, {"internal.amount_text('gpu', 0.5)", "0.5 GPUs"}},
	"threshold_text": {{"internal.threshold_text(1, 2.5, NULL, NULL, NULL)", "1 user slot and less than 2.5 cores"}, {"internal.threshold_text(NULL, NULL, NULL, NULL, NULL)", ""}},
	"of_resource":    {{"internal.of_resource('gpu', 1, 2, 3, 4, 5)", "3"}, {"internal.of_resource('disk', 1, 2, 3, 4, 5)", ""}},
	"column_amount":  {{"internal.column_amount('gpu', 1500, 'milli_gpu')", "1.5"}, {"internal.column_amount('gpu', 2, 'devices')", "2"}, {"internal.column_amount('cpu', 2.5, NULL)", "2.5"}},
	"whole_seconds":  {{"(SELECT internal.whole_seconds(x) FROM (VALUES (0.1), (0.2), (NULL)) AS v(x))", "0.3"}},
	"whole":          {{"internal.whole(3.0)", "3"}, {"internal.whole(1e300)", "9223372036854774784"}},
	"count_text":     {{"internal.count_text(1, 'job')", "1 job"}, {"internal.count_text(2, 'job')", "2 jobs"}, {"internal.count_text(0, 'job')", "0 jobs"}, {"internal.count_text(17898, 'job')", "17,898 jobs"}},
	"doubt_text": {
		{"internal.doubt_text(90000000)", " For 1 min 30 s of it, this holds only if jobs were still there whose departure the log does not record exactly."},
		{"internal.doubt_text(0)", ""},
	},
	"node_doubt_text": {
		{"internal.node_doubt_text(90000000)", " For 1 min 30 s of it, this holds only if jobs were still there, or the node was still smaller; the log does not record exactly when that ended."},
		{"internal.node_doubt_text(0)", ""},
	},
	"verdict_rank":   {{"internal.verdict_rank('violated')", "3"}, {"internal.verdict_rank('suspect')", "2"}, {"internal.verdict_rank('excused')", "1"}},
	"ranked_verdict": {{"internal.ranked_verdict(internal.verdict_rank('violated'))", "violated"}, {"internal.ranked_verdict(internal.verdict_rank('suspect'))", "suspect"}, {"internal.ranked_verdict(internal.verdict_rank('excused'))", "excused"}},
	"clip_text":      {{"internal.clip_text(true, false)", " It began before the window."}, {"internal.clip_text(false, true)", " It goes on after the window."}, {"internal.clip_text(true, true)", " It began before the window and goes on after it."}, {"internal.clip_text(false, false)", ""}},
	"time_text":      {{"internal.time_text(TIMESTAMP '2026-05-01 02:03:04.5')", "2026-05-01T02:03:04.500000Z"}},
	"clock_text":     {{"internal.clock_text(TIMESTAMP '2026-05-01 02:03:04.5')", "2026-05-01 02:03:04 UTC"}},
	"paths_above":    {{"paths_above('a/b/c')::VARCHAR", "[a, a/b, a/b/c]"}, {"paths_above('a')::VARCHAR", "[a]"}, {"paths_above('') = ['']", "true"}},
	"id_list":        {{`internal.id_list('["a","b,c"]')::VARCHAR`, "[a, b,c]"}, {"len(internal.id_list(''))", "0"}},
	"limit_excuse":   {{"internal.limit_excuse('job_started') IS NULL", "true"}, {"internal.limit_excuse('pool_moved')", "a pool was moved in with its contents"}},
	"overlap_seconds": {{"overlap_seconds(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:01:00', TIMESTAMP '2026-05-01 00:00:45', TIMESTAMP '2026-05-01 01:00:00')", "15"},
		{"overlap_seconds(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:01:00', TIMESTAMP '2026-05-01 00:01:00', TIMESTAMP '2026-05-01 01:00:00')", "0"},
		{"overlap_seconds(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:01:00', TIMESTAMP '2026-05-01 00:02:00', TIMESTAMP '2026-05-01 01:00:00')", "0"}},
	"within_span": {{"within_span(1, 1, 2)", "true"}, {"within_span(2, 1, 2)", "false"}, {"within_span(0, 1, 2)", "false"}},
	// TestHoursByTheClock compares it with a count.
	"sla_seconds": {{"internal.sla_seconds(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:01:00', NULL)", "60"},
		{"internal.sla_seconds(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:01:00', [])", "0"},
		{"internal.sla_seconds(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:01:00', [{'from_time': TIMESTAMP '2026-04-30 00:00:00', 'to_time': TIMESTAMP '2026-05-01 00:00:10'}, {'from_time': TIMESTAMP '2026-05-01 00:00:50', 'to_time': TIMESTAMP '2026-05-02 00:00:00'}])", "20"}},
	"windows_within": {{"len(internal.windows_within(2, 4, [{'from_time': 0, 'to_time': 2}, {'from_time': 1, 'to_time': 3}, {'from_time': 4, 'to_time': 5}]))", "1"}},
	// TestPendingOperations has more.
	"earlier_rank": {
		{"internal.earlier_rank(true, false, TIMESTAMP '2026-05-01 00:00:00')", "-1"},
		{"internal.earlier_rank(false, false, TIMESTAMP '1970-01-01 00:00:01')", "1000000"},
	},
	"joined_stretch": { // 10 s at the end of the first part and 20 s at the beginning of the second are one
		{"internal.joined_stretch(15000000, TIMESTAMP '2026-05-01 23:00:00', TIMESTAMP '2026-05-01 23:59:50', 20000000, TIMESTAMP '2026-05-02 00:00:00', TIMESTAMP '2026-05-02 00:00:20')::VARCHAR", "{'us': 30000000, 'from_time': 2026-05-01 23:59:50}"},
		{"internal.joined_stretch(45000000, TIMESTAMP '2026-05-01 23:00:00', TIMESTAMP '2026-05-01 23:59:50', 20000000, TIMESTAMP '2026-05-02 00:00:00', TIMESTAMP '2026-05-02 00:00:20').us", "45000000"},
		{"internal.joined_stretch(NULL, NULL, NULL, 20000000, TIMESTAMP '2026-05-02 00:00:00', TIMESTAMP '2026-05-02 00:00:20').us", "20000000"},
	},
	"joined_until": {
		{"internal.joined_until(TIMESTAMP '2026-05-01 23:00:00', TIMESTAMP '2026-05-01 23:00:00', TIMESTAMP '2026-05-02 00:00:00', TIMESTAMP '2026-05-02 00:00:20')", "2026-05-02T00:00:20Z"},
		{"internal.joined_until(TIMESTAMP '2026-05-01 23:00:00', TIMESTAMP '2026-05-01 23:30:00', TIMESTAMP '2026-05-01 23:10:00', TIMESTAMP '2026-05-02 00:00:20')", "2026-05-01T23:10:00Z"},
		{"internal.joined_until(NULL, NULL, NULL, TIMESTAMP '2026-05-02 00:00:20')", "2026-05-02T00:00:20Z"},
	},
	"joined_since": {
		{"internal.joined_since(TIMESTAMP '2026-05-01 23:59:50', TIMESTAMP '2026-05-02 00:00:00', TIMESTAMP '2026-05-02 00:00:00')", "2026-05-01T23:59:50Z"},
		{"internal.joined_since(TIMESTAMP '2026-05-01 23:59:50', TIMESTAMP '2026-05-02 00:00:00', TIMESTAMP '2026-05-02 00:03:00')", "2026-05-02T00:03:00Z"},
	},
	"parts_text": {
		{"internal.parts_text(TIMESTAMP '2026-05-01 23:59:50', TIMESTAMP '2026-05-02 00:01:00', TIMESTAMP '2026-05-02 00:00:00')", " It has lasted since 23:59:50 of the night before (2026-05-01, UTC): 10 s before the window and 1 min 00 s in it."},
		{"internal.parts_text(TIMESTAMP '2026-05-02 11:59:50', TIMESTAMP '2026-05-02 12:01:00', TIMESTAMP '2026-05-02 12:00:00')", " It has lasted since 2026-05-02 11:59:50 UTC: 10 s before the window and 1 min 00 s in it."},
		{"internal.parts_text(TIMESTAMP '2026-05-02 00:00:00', TIMESTAMP '2026-05-02 00:01:00', TIMESTAMP '2026-05-02 00:00:00')", ""},
	},
	"starvation_spans_of": {
		{"SELECT count(*) FROM internal.starvation_spans_of('starvation_episodes')", "0"},
	},
	"longest_outside": {
		{"internal.longest_outside(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:05:00', [{'from_time': TIMESTAMP '2026-05-01 00:00:10', 'to_time': TIMESTAMP '2026-05-01 00:01:00'}, {'from_time': TIMESTAMP '2026-05-01 00:03:00', 'to_time': TIMESTAMP '2026-05-01 00:09:00'}])::VARCHAR", "{'seconds': 120.0, 'from_time': 2026-05-01 00:01:00, 'to_time': 2026-05-01 00:03:00}"},
		{"internal.longest_outside(TIMESTAMP '2026-05-01 00:00:00', TIMESTAMP '2026-05-01 00:05:00', []).seconds", "300"},
		{"internal.longest_outside(TIMESTAMP '2026-05-01 00:01:00', TIMESTAMP '2026-05-01 00:02:00', [{'from_time': TIMESTAMP '2026-05-01 00:00:00', 'to_time': TIMESTAMP '2026-05-01 00:09:00'}]).seconds", "0"},
	},
	"window_text": {{"internal.window_text('update_pools_alert')", "the scheduler could not load its configuration (alert update_pools)"}, {"internal.window_text('sunshine')", ""}},
	// TestDecisions has more.
	"decisions_findings": {{"(SELECT count(*) FROM internal.decisions_findings(['PRE-01']))", "0"}},
	// TestThePreemptionIsProved has more.
	"preemption_proof": {{"(SELECT count(internal.preemption_proof(p, NULL)) FROM preemptions AS p)", "0"}},
	"promised_by":      {{"internal.promised_by([{'pool': 'b', 'weight': 2}, {'pool': 'a', 'weight': 3}, {'pool': 'b', 'weight': 1}, {'pool': NULL, 'weight': 3}])::VARCHAR", "[{'pool': a, 'verdict': violated}, {'pool': b, 'verdict': suspect}]"}},
	"decisions_seen":   {{"(SELECT reason FROM internal.decisions_seen([['PRE-01']]))", "no recorded decision concerns the rule"}},
	// TestSwitchesOfPoolsAreGraded has more of these three.
	"protections_tested": {{"(SELECT count(*) FROM internal.protections_tested([{'kind': 'x', 'invariant': 'PRE-17'}]))", "0"}},
	"starts_tested":      {{"(SELECT count(*) FROM internal.starts_tested('scheduling_tag_filter'))", "0"}},
	"steps_tested":       {{"(SELECT count(*) FROM internal.steps_tested('forbid_immediate_operations'))", "0"}},
	"decisions_tested":   {{"(SELECT count(*) FROM internal.decisions_tested([{'kind': 'x', 'invariant': 'PRE-01'}]))", "0"}},
	// TestAdmissions and TestConfigurations have more.
	"excuse_text": {{"internal.excuse_text('') IS NULL", "true"}, {"internal.excuse_text('revival')", "it was registered again after a restart, without checks"}, {"internal.excuse_text('node_lost')", "node lost"}},
	"admission_text": {{"internal.admission_text('POOL-07', 'started', '<Root>', '', NULL, NULL, NULL, '', NULL)", "was attached to the root itself."},
		{"internal.admission_text('POOL-01', 'started', 'a', '', NULL, NULL, NULL, 'b', NULL)", "was started in pool a although the rules put it into pool b."}},
	"admissions_findings":     {{"(SELECT count(*) FROM internal.admissions_findings(['CNT-01']))", "0"}},
	"admissions_seen":         {{"(SELECT reason FROM internal.admissions_seen([['CNT-01']]))", "the log records no start"}},
	"configurations_findings": {{"(SELECT count(*) FROM internal.configurations_findings(['CFG-03']))", "0"}},
	"configurations_seen":     {{"(SELECT idle FROM internal.configurations_seen([['CFG-03']]))", "false"}},
	"admission_steps":         {{"internal.admission_steps('PEND-06').unit", "changes of pool"}},
	"tree_check_cases":        {{"internal.tree_check_cases('CNT-08').none", "the log records no start"}},
	// TestOperationsInTheirTrees has more.
	"trees_text": {{"internal.trees_text('')", "none"}, {"internal.trees_text('a')", "a"}, {"internal.trees_text('a,b,c')", "a, b and c"}},
	"tree_fault_text": {{"internal.tree_fault_text('TREE-05', 'a,b', 'a', '', NULL, NULL, NULL, 0, 0)", "started in a and b, and asked for a."},
		{"internal.tree_fault_text('TREE-10', 'a', '', '', NULL, NULL, NULL, 1, 1)", "is to be scheduled in a single tree and kept a, where it did not run."}},
	"tree_checks_findings": {{"(SELECT count(*) FROM internal.tree_checks_findings(['TREE-05']))", "0"}},
	"tree_checks_seen":     {{"(SELECT reason FROM internal.tree_checks_seen([['TREE-06']]))", "no operation lost the tree or its last one"}},
	// TestRecordsOfTheScheduler has more.
	"records_findings": {{"(SELECT count(*) FROM internal.records_findings(['STV-01']))", "0"}},
	"records_seen":     {{"(SELECT reason FROM internal.records_seen([['STV-01']]))", "the log holds no records of the scheduler about itself"}},
	// TestKeptIsEarnedWhereItIsClaimed has more.
	"records_tested": {{"(SELECT count(*) FROM internal.records_tested(['STV-02']))", "0"}},
	// TestStrongGuaranteeUnmet and TestIntegralGuaranteeUnmet have more.
	"unmet_guarantees": {{"(SELECT count(*) FROM internal.unmet_guarantees(['strong'], 'strong_guarantee_unmet', 300))", "0"}},
	// TestSpanReach has more.
	"span_reach": {{"(WITH spans AS (FROM internal.timeout_tests) SELECT count(*) FROM internal.span_reach('spans'))", "0"}},
	// TestVersionSpans has more.
	"version_spans": {{"(WITH spans AS (FROM pool_intervals) SELECT count(*) FROM internal.version_spans('spans'))", "0"}},
	// TestPreemptionLevelsInverted and TestOrderLostInRestart have more.
	"levels_findings": {{"(SELECT count(*) FROM internal.levels_findings(FALSE))", "0"}},
	"levels_seen":     {{"(SELECT reason FROM internal.levels_seen(FALSE))", "no heartbeat took two jobs of one operation whose levels are recorded"}},
	// TestMergedSpans has more.
	"window_bin":             {{"internal.time_text(window_bin(TIMESTAMP '2026-05-01 00:01:59', TIMESTAMP '2026-05-01 00:00:30', 60))", "2026-05-01T00:01:30.000000Z"}},
	"subtree_of":             {{"subtree_of('a/b/c', 2)", "a/b"}, {"subtree_of('a', 2)", "a"}},
	"integral":               {{"internal.integral('cpu', 250 * 1000000)", "2.5"}, {"internal.integral('memory', 1073741824 * 1000000::HUGEINT)", "1"}, {"internal.integral('gpu', 1000000)", "1"}},
	"share_seconds":          {{"(SELECT internal.share_seconds(share, from_time, to_time) FROM (VALUES (0.5, '2025-03-03 00:00:00', '2025-03-03 00:00:10'), (1, '2025-03-03 00:00:10', '2025-03-03 00:00:11')) AS s(share, from_time, to_time))", "6000000000"}},
	"windowed_delay":         {{"(SELECT count(*) FROM windowed_delay())", "0"}},
	"satisfaction_histogram": {{"(SELECT count(*) FROM satisfaction_histogram())", "0"}},
	"underserved_periods":    {{"(SELECT count(*) FROM underserved_periods())", "0"}},
	"penalty":                {{"(SELECT count(*) FROM penalty())", "0"}},
	"preemptions_between":    {{"(SELECT count(*) FROM preemptions_between())", "0"}},
	"preemptions_around":     {{"(SELECT count(*) FROM preemptions_around('prod'))", "0"}},
	"wasted_resource_time":   {{"(SELECT count(*) FROM wasted_resource_time())", "0"}},
	"running_operations":     {{"(SELECT count(*) FROM running_operations(bin_s := 3600))", "24"}},
	"utilization":            {{"(SELECT count(*) FROM utilization())", "0"}},
	// questions_test.go has more of these.
	"pools_at":                 {{"(SELECT count(*) FROM pools_at('2025-03-03'))", "0"}},
	"operations_at":            {{"(SELECT count(*) FROM operations_at('2025-03-03'))", "0"}},
	"pools_compared":           {{"(SELECT count(*) FROM pools_compared('2025-03-03', '2025-03-04'))", "0"}},
	"changes_between":          {{"(SELECT count(*) FROM changes_between('2025-03-03', '2025-03-04'))", "0"}},
	"pool_series":              {{"(SELECT count(*) FROM pool_series())", "0"}},
	"fairness_between":         {{"(SELECT count(*) FROM fairness_between('2025-03-03', '2025-03-04'))", "0"}},
	"debts_between":            {{"(SELECT count(*) FROM debts_between('2025-03-03', '2025-03-04'))", "0"}},
	"main_causes":              {{"(SELECT count(*) FROM main_causes('2025-03-03', '2025-03-04'))", "0"}},
	"preemption_matrix":        {{"(SELECT count(*) FROM preemption_matrix())", "0"}},
	"span_gaps":                {{"(WITH s AS (SELECT tree, pool AS element, from_time, to_time FROM pool_intervals) SELECT count(*) FROM span_gaps('s'))", "0"}},
	"span_overlaps":            {{"(WITH s AS (SELECT tree, pool AS element, from_time, to_time FROM pool_intervals) SELECT count(*) FROM span_overlaps('s', 's'))", "0"}},
	"merged_spans":             {{"(WITH spans AS (SELECT *, 0 AS excess FROM internal.fair_share_spans) SELECT count(*) FROM internal.merged_spans('spans', 0))", "0"}},
	"fair_share_findings":      {{"(SELECT count(*) FROM internal.fair_share_findings('limits', 0, INTERVAL 60 SECOND))", "0"}},
	"resource_limits_findings": {{"(SELECT count(*) FROM internal.resource_limits_findings('pool', 10))", "0"}},
	"resource_limits_seen":     {{"(SELECT reason FROM internal.resource_limits_seen('operation', 10))", "no operation has resource_limits"}},
	"count_limits_findings":    {{"(SELECT count(*) FROM internal.count_limits_findings('max_operation_count'))", "0"}},
	"count_limits_seen":        {{"(SELECT reason FROM internal.count_limits_seen('max_operation_count'))", "no pool has max_operation_count"}},
}

// TestEveryMacroIsShownAtWork: a macro without an example here is not tested.
func TestEveryMacroIsShownAtWork(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.makeDatabase()
	names := strings.Fields(r.query("SELECT string_agg(DISTINCT function_name, ' ') FROM duckdb_functions() WHERE function_type LIKE '%macro' AND NOT internal"))
	if len(names) == 0 {
		t.Fatal("no macros")
	}
	var calls, questions, want []string
	for _, name := range names {
		if len(macroExamples[name]) == 0 {
			t.Errorf("the macro %s has no example", name)
		}
		for _, c := range macroExamples[name] {
			calls, questions, want = append(calls, c[0]), append(questions, "SELECT ("+c[0]+") AS x"), append(want, c[1])
		}
	}
	for i, answer := range r.ask(questions...) {
		if got := strings.Trim(answer, `"`); got != want[i] {
			t.Errorf("%s is %q, want %q", calls[i], got, want[i])
		}
	}
}

// TestEveryViewIsExplained: macros and views have a comment before them.
func TestEveryViewIsExplained(t *testing.T) {
	t.Parallel()
	files, _ := fs.Glob(queries.Files, "views/*.sql")
	create := regexp.MustCompile(`(?m)^(.*)\nCREATE OR REPLACE (?:MACRO|VIEW|TABLE) (?:internal\.)?(\w+)`)
	seen := 0
	for _, file := range files {
		text, err := fs.ReadFile(queries.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range create.FindAllStringSubmatch(string(text), -1) {
			seen++
			if !strings.HasPrefix(m[1], "-- ") {
				t.Errorf("%s: nothing explains %s", file, m[2])
			}
		}
	}
	if seen < 20 {
		t.Errorf("saw only %d macros and views", seen)
	}
}

// TestMergedSpans: spans that meet are one, whatever lies between others.
func TestMergedSpans(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	span := func(from, to int, excess float64) tables.PoolInterval {
		return tables.PoolInterval{Interval: tables.Interval{FromTime: at(from), ToTime: at(to), FairOverDemand: excess}}
	}
	other := span(10, 20, 0.9)
	other.Pool = 1
	put(r, "a", span(0, 10, 0.2), other, span(10, 20, 0.3), span(20, 30, 0.1), span(30, 40, 0.2), span(50, 60, 0.4))
	r.makeDatabase()
	got := r.query(`WITH spans AS (SELECT *, fair_share_over_demand AS excess FROM internal.fair_share_spans)
		SELECT string_agg(printf('%s %d-%d %.1f at %d of %d', subject, epoch(from_time)::BIGINT - 1700000000, epoch(to_time)::BIGINT - 1700000000, excess,
		epoch(worst_time)::BIGINT - 1700000000, spans), '; ' ORDER BY subject, from_time) FROM internal.merged_spans('spans', 0.1)`)
	if want := "batch 10-20 0.9 at 10 of 1; prod 0-20 0.3 at 10 of 2; prod 30-40 0.2 at 30 of 1; prod 50-60 0.4 at 50 of 1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestVersionSpans: a span is cut at the versions of its pool as a comparison with each version cuts it.
func TestVersionSpans(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0, Path: "prod", Parent: core.RootPool})
	var versions []tables.PoolVersion // one without length, and a gap from 40 to 50
	for _, v := range [][2]int{{0, 10}, {10, 10}, {10, 13}, {13, 40}, {50, 90}} {
		versions = append(versions, tables.PoolVersion{Pool: tables.Pool{Path: "prod", Parent: core.RootPool}, FromTime: at(v[0]), ToTime: at(v[1])})
	}
	put(r, "a", versions...)
	r.makeDatabase()
	got := r.query(`WITH spans AS (
			SELECT 'a' AS tree, 'prod' AS pool, f AS n,
				make_timestamp((1700000000 + f) * 1000000::BIGINT) AS from_time, make_timestamp((1700000000 + t) * 1000000::BIGINT) AS to_time
			FROM (VALUES (2, 5), (5, 10), (10, 10), (10, 12), (12, 25), (30, 45), (45, 48), (50, 60), (89, 120), (120, 130)) AS s(f, t)
		), parts AS (
			SELECT n, version, from_time, to_time FROM internal.version_spans('spans')
		), want AS (
			SELECT n, v.from_time AS version, greatest(s.from_time, v.from_time) AS from_time, least(s.to_time, v.to_time) AS to_time
			FROM spans AS s JOIN pool_versions AS v ON v.tree = s.tree AND v.pool = s.pool AND v.from_time < s.to_time AND v.to_time > s.from_time
			WHERE s.from_time < s.to_time AND v.from_time < v.to_time
		)
		SELECT printf('%d parts, %d missing, %d wrong', (SELECT count(*) FROM parts), (SELECT count(*) FROM (FROM want EXCEPT ALL FROM parts)),
			(SELECT count(*) FROM (FROM parts EXCEPT ALL FROM want)))`)
	if want := "8 parts, 0 missing, 0 wrong"; strings.Trim(got, `"`) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSpanReach: the last span that began before another one ends tells whether any
// touches it, as a comparison with each does.
func TestSpanReach(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0, Path: "prod", Parent: core.RootPool})
	var episodes []tables.StarvationEpisode
	for _, s := range [][2]int{{0, 50}, {10, 20}, {10, 15}, {30, 40}, {60, 70}, {71, 72}} {
		episodes = append(episodes, tables.StarvationEpisode{For: scheduling.FairShare, Since: at(s[0]), FromTime: at(s[0]), ToTime: at(s[1])})
	}
	put(r, "a", episodes...)
	r.makeDatabase()
	got := r.query(`WITH asked AS (
			SELECT 'a' AS tree, make_timestamp((1700000000 + f) * 1000000) AS from_time, make_timestamp((1700000000 + f + d) * 1000000) AS to_time
			FROM range(0, 90) AS r(f), (VALUES (1), (4), (25)) AS l(d)
		), timeout_tests AS (
			FROM internal.timeout_tests
		), answered AS (
			SELECT coalesce(x.reach > a.from_time, false) AS touched,
				EXISTS (FROM timeout_tests AS y WHERE y.tree = a.tree AND y.from_time < a.to_time AND y.to_time > a.from_time) AS want
			FROM asked AS a
			ASOF LEFT JOIN internal.span_reach('timeout_tests') AS x ON x.tree = a.tree AND x.from_time < a.to_time
		)
		SELECT printf('%d touched, %d not, %d wrong', count(*) FILTER (touched), count(*) FILTER (NOT touched), count(*) FILTER (touched <> want)) FROM answered`)
	if got = strings.Trim(got, `"`); !strings.HasSuffix(got, ", 0 wrong") || strings.HasPrefix(got, "0 ") || strings.Contains(got, " 0 not") {
		t.Error(got)
	}
}

// queryAsIs is one value of the run's database, with its blanks.
func (r *testRun) queryAsIs(q string) string {
	r.t.Helper()
	return r.ask(q)[0]
}

// ask puts questions to the run's database, which is opened once for all of them: that takes
// longer than most answers.
func (r *testRun) ask(questions ...string) (answers []string) {
	r.t.Helper()
	db, err := OpenDatabase(r.dir, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	return r.askOf(db.DB, questions)
}

// askOf puts questions to a database.
func (r *testRun) askOf(db *sql.DB, questions []string) (answers []string) {
	r.t.Helper()
	conn, err := db.Conn(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	for _, q := range questions {
		var b strings.Builder
		if err := writeRows(newCSVWriter)(r.t.Context(), conn, q, &b, 0); err != nil {
			r.t.Fatal(fmt.Errorf("%s: %w", q, err))
		}
		_, rows, _ := strings.Cut(b.String(), "\n")
		answers = append(answers, strings.TrimSuffix(rows, "\n"))
	}
	return answers
}
