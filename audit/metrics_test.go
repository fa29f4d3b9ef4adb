package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// ratios is a span of constant ratios.
func ratios(from, to int, usage, fair float64) tables.Interval {
	over := func(ratio float64) int64 { return int64(ratio * 1e9 * float64(to-from)) }
	return tables.Interval{FromTime: at(from), ToTime: at(to), UsageSeconds: over(usage), FairSeconds: over(fair)}
}

// metricsRun is a run of tree a with a window of 1,000 s, whose numbers are worked out by
// hand in the tests below.
func metricsRun(t *testing.T) *testRun { return withMetrics(newTestRun(t)) }

func withMetrics(r *testRun) *testRun {
	r.addTree("a", whole())
	put(r, "a", tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 1})
	put(r, "a", tables.Pool{Pool: 0, Path: "prod", Parent: core.RootPool}, tables.Pool{Pool: 1, Path: "prod/batch"}, tables.Pool{Pool: 2, Path: "ads", Parent: core.RootPool})
	cpu := func(cores int64) resource.Vector { return resource.Vector{resource.CPU: cores * resource.CentsPerCore} }
	put(r, "a",
		tables.PoolInterval{Pool: core.RootPool, Interval: tables.Interval{FromTime: at(0), ToTime: at(500), Usage: cpu(2), Demand: cpu(8)}},
		tables.PoolInterval{Pool: core.RootPool, Interval: tables.Interval{FromTime: at(500), ToTime: at(1000), Usage: cpu(2), Demand: cpu(2)}},
		tables.PoolInterval{Pool: 0, Interval: ratios(0, 100, 0.25, 0.5)},
		tables.PoolInterval{Pool: 0, Interval: ratios(100, 200, 0.5, 0.5)},
		tables.PoolInterval{Pool: 0, Interval: ratios(200, 400, 0.4, 0.5)},
		tables.PoolInterval{Pool: 1, Interval: ratios(0, 30, 0.1, 0.5)},
		tables.PoolInterval{Pool: 1, Interval: ratios(30, 70, 0.2, 0.5)},
		tables.PoolInterval{Pool: 1, Interval: ratios(70, 80, 0.5, 0.5)},
		tables.PoolInterval{Pool: 1, Interval: ratios(80, 120, 0.1, 0.5)})
	put(r, "a",
		tables.OperationInterval{Operation: 0, Pool: 0, Interval: ratios(0, 100, 0.75, 0.5)},
		tables.OperationInterval{Operation: 1, Pool: 0, Interval: ratios(0, 100, 0, 0)})
	return r
}

// answers are questions to a run, which need not be audited, and what they give.
func (r *testRun) answers(of [][2]string) {
	r.t.Helper()
	j, err := putTo(r.t.Context(), Asking, r.dir, Options{Queries: about(r.t)}, questionsOf(of)...)
	if err != nil {
		r.t.Fatal(err)
	}
	defer j.Close()
	r.compareAnswers(of, r.askOf(j.DB, questionsOf(of)))
}

func questionsOf(of [][2]string) (questions []string) {
	for _, c := range of {
		questions = append(questions, c[0])
	}
	return questions
}

func (r *testRun) compareAnswers(of [][2]string, answers []string) {
	r.t.Helper()
	for i, answer := range answers {
		if got := strings.ReplaceAll(strings.TrimSpace(answer), "\n", "; "); got != of[i][1] {
			r.t.Errorf("%s\ngot  %s\nwant %s", of[i][0], got, of[i][1])
		}
	}
}

func TestFairnessMetrics(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	r.answers([][2]string{
		// prod lacks 100 s of 0.25 and 200 s of 0.1, batch 30 s of 0.4, 40 s of 0.3 and 40 s of 0.4.
		{"SELECT element, seconds, round(delay, 9), round(usage, 9), round(fair_share, 9), round(satisfaction, 9) FROM fairness ORDER BY element_kind, element",
			"op-a,100,0,75,50,1.5; op-b,100,0,0,0,; batch,120,40,20,60,0.333333333; prod,400,45,155,200,0.775"},
		// The 300 s to 300 hold 25 and 100 s of 0.1; the 200 s to 100 and to 200 hold 25.
		{"SELECT round(max(delay), 9), round(max(delay_samples), 9), epoch(arg_max(time, delay)) - 1700000000 FROM windowed_delay(samples := 150, step_s := 2) WHERE element = 'prod'", "35,17.5,300"},
		{"SELECT round(max(delay), 9) FROM windowed_delay() WHERE element = 'prod'", "25"},
		{"SELECT round(max(delay), 9) FROM windowed_delay(samples := 2000) WHERE element = 'prod'", "45"},
		{"SELECT from_satisfaction, to_satisfaction, elements, round(usage, 9), round(usage_part, 6) FROM satisfaction_histogram(width := 0.5) WHERE element_kind = 'pool' ORDER BY 1",
			"0,0.5,1,20,0.114286; 0.5,1,1,155,0.885714"},
		// Below a half batch had 30 s of 0.2, 40 s of 0.4 and 40 s of 0.2; prod had just a half.
		{"SELECT tolerance, elements, underserved, underserved_seconds, round(mean_underserved, 6) FROM underserved WHERE element_kind = 'pool' AND tolerance IN (0.3, 0.5, 0.9, 1.0) ORDER BY 1",
			"0.3,2,0,70,0.07; 0.5,2,1,110,0.11; 0.9,2,2,410,0.41; 1,2,2,410,0.41"},
		{"SELECT element, epoch(from_time) - 1700000000, duration, duration_samples, round(missing, 9) FROM underserved_periods() ORDER BY element, from_time",
			"batch,0,70,70,24; prod,0,100,100,25; prod,200,200,200,20"},
		{"SELECT element, duration FROM underserved_periods(tolerance := 0.6, samples := 30, step_s := 2) ORDER BY ALL", "batch,70; prod,100"},
		{"SELECT element, periods, duration, longest, penalty FROM penalty() ORDER BY element", "batch,1,70,70,4900; prod,2,300,200,50000"},
		{"SELECT element, penalty, penalty_samples FROM penalty(samples := 75, step_s := 2) ORDER BY element", "prod,40000,10000"},
	})
}

// TestUtilization: node1 has 10 cores, slots and GiB throughout, node2 4 of them for 500 s, in
// the first 100 s of which its job takes 6 cores. From 200 to 300 the jobs of node1 take all
// its cores, so that its slots and memory are of no use.
func TestUtilization(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	const gib = 1 << 30
	has := func(slots, cores, memory int64) resource.Vector {
		return resource.Vector{resource.UserSlots: slots, resource.CPU: cores * resource.CentsPerCore, resource.Memory: memory * gib}
	}
	job := func(id string, node core.NodeID, from, to int, end core.EndKind, takes resource.Vector) tables.Job {
		return tables.Job{Job: id, Node: core.Some(node), StartTime: at(from), EndTime: core.Some(at(to)), End: end, Resources: takes}
	}
	put(r, "a", tables.Node{Node: 0, FromTime: at(0), ToTime: at(1000), Limits: has(10, 10, 10)}, tables.Node{Node: 1, FromTime: at(0), ToTime: at(500), Limits: has(4, 4, 4)})
	put(r, "a", job("x", 0, 100, 300, core.EndCompleted, has(1, 9, 2)), job("y", 0, 200, 400, core.EndPreempted, has(1, 1, 1)), job("z", 1, -50, 100, core.EndCompleted, has(1, 6, 1)))
	put(r, "a", tables.IdleNode{Node: 0, FromTime: at(600), ToTime: at(700)})
	const columns = "capacity, used, used_preempted, not_schedulable, allocatable, unclaimed, fragmented, invalid"
	r.answers([][2]string{
		// Of the demand 6 cores are unmet until 500. Free are then 10, 5, 4, 13 and 14 cores,
		// 100 s each, and afterwards 10 for 400 s that nobody asks for.
		{"SELECT " + columns + " FROM utilization(bin_s := 1000) WHERE resource = 'cpu'", "12000,2000,200,0,1000,5900,2700,400"},
		{"SELECT epoch(bin) - 1700000000, " + columns + " FROM utilization(bin_s := 500) WHERE resource = 'cpu' ORDER BY bin", "0,7000,2000,200,0,0,1900,2700,400; 500,5000,0,0,0,1000,4000,0,0"},
		{"SELECT " + columns + " FROM utilization(bin_s := 1000) WHERE resource = 'memory'", "12000,600,200,700,1000,9300,0,400"},
		{"SELECT " + columns + " FROM utilization(bin_s := 1000) WHERE resource = 'user_slots'", "12000,400,200,800,1000,9400,0,400"},
		{"SELECT count(*) FROM utilization(bin_s := 1000) WHERE resource IN ('gpu', 'network')", "0"},
	})
}

func TestPreemptionMetrics(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	put(r, "a", tables.Tree{FromTime: at(0), ToTime: at(7200), Updates: 1})
	takes := func(cores int64) resource.Vector {
		return resource.Vector{resource.UserSlots: 1, resource.CPU: cores * resource.CentsPerCore, resource.Memory: 1 << 29}
	}
	put(r, "a",
		tables.Preemption{Time: at(50), Job: "x", Pool: 1, ForPool: core.Some[core.PoolID](2), Lost: core.Some[int64](10e6), Resources: takes(2)},
		tables.Preemption{Time: at(4000), Job: "y", Pool: 0, ForPool: core.Some[core.PoolID](1), Lost: core.Some[int64](5e6), Resources: takes(1)},
		tables.Preemption{Time: at(4001), Job: "z", Pool: 2, Lost: core.Some[int64](2e6), Resources: takes(3)})
	const lost = "preemptions, lost_slot_seconds, lost_cpu_seconds, lost_gpu_seconds, lost_gib_seconds"
	r.answers([][2]string{
		{"SELECT epoch(bin) - 1700000000, preemptor, victim, " + lost + " FROM preemptions_between() ORDER BY ALL",
			"0,ads,prod,1,10,20,0,5; 3600,<unknown>,ads,1,2,6,0,1; 3600,prod,prod,1,5,5,0,2.5"},
		{"SELECT preemptor, victim, preemptions FROM preemptions_between(depth := 2, unknown := 'prod/lost', bin_s := 7200) ORDER BY ALL",
			"ads,prod/batch,1; prod/batch,prod,1; prod/lost,ads,1"},
		{"SELECT epoch(bin) - 1700000000, relation, " + lost + " FROM preemptions_around('prod') ORDER BY ALL",
			"0,loses,1,10,20,0,5; 3600,inside,1,5,5,0,2.5; 3600,outside,1,2,6,0,1"},
		{"SELECT relation, preemptions FROM preemptions_around('a/prod', bin_s := 7200) ORDER BY ALL", "inside,1; loses,1; outside,1"},
		{"SELECT relation, preemptions FROM preemptions_around('a/prod/batch', bin_s := 7200) ORDER BY ALL", "loses,1; outside,1; takes,1"},
		{"SELECT relation, preemptions FROM preemptions_around('batch', bin_s := 7200) ORDER BY ALL", "loses,1; outside,1; takes,1"},
		{"SELECT relation, preemptions FROM preemptions_around('b/batch', bin_s := 7200) ORDER BY ALL", "outside,3"},
		{"SELECT relation, preemptions FROM preemptions_around('prod/batch', unknown := 'prod/batch', bin_s := 7200) ORDER BY ALL", "loses,1; takes,2"},
		{"SELECT epoch(bin) - 1700000000, " + lost + " FROM wasted_resource_time() ORDER BY ALL", "0,1,10,20,0,5; 3600,2,7,11,0,3.5"},
	})
}

func TestDurationMetrics(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	op := func(id core.OperationID, start int, running, finish core.Optional[core.Time]) tables.Operation {
		return tables.Operation{Operation: id, StartTime: at(start), RunningTime: running, FinishTime: finish}
	}
	put(r, "a", op(0, -10, core.Some(at(-5)), core.Some(at(90))), op(1, 10, core.Some(at(30)), core.Optional[core.Time]{}), op(2, 60, core.Some(at(60)), core.Some(at(120))))
	r.answers([][2]string{
		{"SELECT operations, epoch(finish_time_999) - 1700000000, epoch(finish_time_100) - 1700000000, duration_999, duration_100 FROM finish_times", "2,120,120,100,100"},
		{"SELECT epoch(bin) - 1700000000, running, least, most FROM running_operations() ORDER BY bin LIMIT 3", "0,1.5,1,2; 60,2.5,2,3; 120,1,1,1"},
		{"SELECT count(*), running FROM running_operations(bin_s := 1000) GROUP BY ALL", "1,1.12"},
	})
}
