package ingest

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// put writes a table of the trace as it is told to, past the checks of
// trace.Writer.
func put[T any](t testing.TB, dir, file string, table *parquetlog.TableOf[T], rows ...T) {
	t.Helper()
	w, err := parquetlog.Create(table, filepath.Join(dir, filepath.FromSlash(file)), parquetlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.Add(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// stamp is the place of a test's row: the second is its seq, too.
func stamp(s int64) trace.Stamp { return trace.Stamp{Time: second(float64(s)), Seq: s} }

// filterError says why a text is no formula of tags.
func filterError(text string) string {
	_, err := pooltree.ParseTagFilter(text)
	return fmt.Sprint(err)
}

// goodJob is a job that nothing is wrong with.
func goodJob(s int64) trace.Job {
	return trace.Job{Stamp: stamp(s), Job: core.JobID(s), ID: "j", EndKind: "completed", FinishTime: core.Some(second(float64(s) + 10))}
}

// Each case plants one fault between two good rows. The good rows must come
// through, and exactly the fault must be reported.
func TestEveryFaultIsAProblemAndTheRunGoesOn(t *testing.T) {
	job := func(change func(*trace.Job)) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			bad := goodJob(2)
			change(&bad)
			put(t, dir, "tree=t/jobs-000.parquet", trace.Jobs, goodJob(1), bad, goodJob(3))
		}
	}
	beat := func(change func(*trace.Heartbeat)) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			rows := []trace.Heartbeat{{Stamp: stamp(1)}, {Stamp: stamp(2)}, {Stamp: stamp(3)}}
			change(&rows[1])
			put(t, dir, "tree=t/heartbeats-000.parquet", trace.Heartbeats, rows...)
		}
	}
	pool := func(change func(*trace.PoolConfig)) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			rows := []trace.PoolConfig{{Stamp: stamp(1)}, {Stamp: stamp(2)}, {Stamp: stamp(3)}}
			change(&rows[1])
			put(t, dir, "tree=t/pool_config.parquet", trace.PoolConfigs, rows...)
		}
	}
	step := func(change func(*trace.OpEvent)) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			rows := []trace.OpEvent{{Stamp: stamp(1), Event: "started"}, {Stamp: stamp(2), Event: "running"}, {Stamp: stamp(3), Event: "completed"}}
			change(&rows[1])
			put(t, dir, "tree=t/op_events-000.parquet", trace.OpEvents, rows...)
		}
	}
	demand := func(change func(*trace.Demand)) func(testing.TB, string) {
		return func(t testing.TB, dir string) {
			rows := []trace.Demand{{Stamp: stamp(1)}, {Stamp: stamp(2)}, {Stamp: stamp(3)}}
			change(&rows[1])
			put(t, dir, "tree=t/demand-000.parquet", trace.Demands, rows...)
		}
	}
	const (
		jobs  = "tree=t/jobs-000.parquet"
		beats = "tree=t/heartbeats-000.parquet"
		pools = "tree=t/pool_config.parquet"
		steps = "tree=t/op_events-000.parquet"
	)
	for _, c := range []struct {
		name   string
		plant  func(testing.TB, string)
		want   Problem
		events int // those that are left
	}{
		{"time before all others", beat(func(r *trace.Heartbeat) { r.Time = second(0) }),
			Problem{beats, 1, "time", outOfOrder, "2020-09-13T12:26:40Z"}, 2},
		{"time ahead of all others", func(t testing.TB, dir string) {
			put(t, dir, beats, trace.Heartbeats, trace.Heartbeat{Stamp: stamp(1)}, trace.Heartbeat{Stamp: stamp(99)}, trace.Heartbeat{Stamp: stamp(2)}, trace.Heartbeat{Stamp: stamp(3)})
		}, Problem{beats, 1, "time", outOfOrder, "2020-09-13T12:28:19Z"}, 3},
		{"time and seq taken", beat(func(r *trace.Heartbeat) { r.Stamp = stamp(1) }),
			Problem{beats, 1, "seq", duplicateSeq, "1"}, 2},
		{"the epoch for a time", beat(func(r *trace.Heartbeat) { r.Time = 0 }),
			Problem{beats, 1, "time", timeOutOfRange, "1970-01-01T00:00:00Z"}, 2},
		{"the year 9999 for a time", beat(func(r *trace.Heartbeat) { r.Time = 253402300799_000000 }),
			Problem{beats, 1, "time", timeOutOfRange, "9999-12-31T23:59:59Z"}, 2},
		{"a node that is not there", beat(func(r *trace.Heartbeat) { r.Node = 3 }),
			Problem{beats, 1, "node_ix", idOutOfRange, "3"}, 2},
		{"an unknown node where one is needed", beat(func(r *trace.Heartbeat) { r.Node = -1 }),
			Problem{beats, 1, "node_ix", idOutOfRange, "-1"}, 2},
		{"less than nothing in use", beat(func(r *trace.Heartbeat) { r.Usage.CPUMilli = -5 }),
			Problem{beats, 1, "usage_cpu_milli", negativeResource, "-5"}, 2},
		{"a node of less than nothing", beat(func(r *trace.Heartbeat) { r.Limit.GPU = -1 }),
			Problem{beats, 1, "limit_gpu", negativeResource, "-1"}, 2},

		{"a job's number below zero", job(func(j *trace.Job) { j.Job = -2 }), Problem{jobs, 1, "job_ix", idOutOfRange, "-2"}, 4},
		{"a job's number that a live job has", job(func(j *trace.Job) { j.Job = 1 }), Problem{jobs, 1, "job_ix", duplicateJob, "1"}, 4},
		{"a job of no operation", job(func(j *trace.Job) { j.Op = 9 }), Problem{jobs, 1, "op_ix", idOutOfRange, "9"}, 4},
		{"a job on no node", job(func(j *trace.Job) { j.Node = 7 }), Problem{jobs, 1, "node_ix", idOutOfRange, "7"}, 4},
		{"a job in a pool of another tree", job(func(j *trace.Job) { j.Pool = core.Some[core.PoolID](1) }),
			Problem{jobs, 1, "pool_ix", poolOfOtherTree, "other"}, 4},
		{"a job of less than nothing", job(func(j *trace.Job) { j.Limits.Memory = -1 }), Problem{jobs, 1, "limits_memory", negativeResource, "-1"}, 4},
		{"a finish before the start", job(func(j *trace.Job) { j.FinishTime = core.Some(second(1)) }),
			Problem{jobs, 1, "finish_time", finishBeforeStart, "2020-09-13T12:26:41Z"}, 4},
		{"a finish at the epoch", job(func(j *trace.Job) { j.FinishTime = core.Some[core.Time](0) }),
			Problem{jobs, 1, "finish_time", finishBeforeStart, "1970-01-01T00:00:00Z"}, 4},
		{"a finish that stands for none", job(func(j *trace.Job) { j.FinishTime, j.EndKind = core.Some[core.Time](math.MaxInt64), "running" }),
			Problem{jobs, 1, "finish_time", timeOutOfRange, formatTime(math.MaxInt64)}, 5},
		{"an end without a time", job(func(j *trace.Job) { j.FinishTime.Set = false }), Problem{jobs, 1, "finish_time", missingFinish, ""}, 5},
		{"a time without an end", job(func(j *trace.Job) { j.EndKind = "running" }),
			Problem{jobs, 1, "finish_time", contradictoryEnd, "2020-09-13T12:26:52Z"}, 6},
		{"an end that is no word for one", job(func(j *trace.Job) { j.EndKind = "evaporated" }), Problem{jobs, 1, "end_kind", unknownEnum, "evaporated"}, 6},
		{"a preemption before the start", job(func(j *trace.Job) { j.PreemptTime = core.Some(second(1)) }),
			Problem{jobs, 1, "preempt_time", preemptBeforeStart, "2020-09-13T12:26:41Z"}, 4},
		{"a preemption after the end", job(func(j *trace.Job) { j.PreemptTime = core.Some(second(13)) }),
			Problem{jobs, 1, "preempt_time", preemptAfterFinish, "2020-09-13T12:26:53Z"}, 6},
		{"a preemptor that is not there", job(func(j *trace.Job) { j.PreemptedFor = core.Some[core.OperationID](8) }),
			Problem{jobs, 1, "preempted_for_op_ix", idOutOfRange, "8"}, 6},
		{"a loss below zero", job(func(j *trace.Job) { j.PreemptTime, j.LostTimeMS = core.Some(second(12)), core.Some[int64](-1) }),
			Problem{jobs, 1, "lost_time_ms", badNumber, "-1"}, 6},
		{"a preempted job that runs and ended", job(func(j *trace.Job) { j.PreemptTime, j.EndKind = core.Some(second(3)), "running" }),
			Problem{jobs, 1, "finish_time", contradictoryEnd, "2020-09-13T12:26:52Z"}, 7},
		{"an id that is no UTF-8", job(func(j *trace.Job) { j.ID = "a\xffb" }), Problem{jobs, 1, "job_id", badText, "a\uFFFDb"}, 6},

		{"an event that is no word for one", step(func(r *trace.OpEvent) { r.Event = "levitated" }), Problem{steps, 1, "event", unknownEnum, "levitated"}, 2},
		{"an operation that is not there", step(func(r *trace.OpEvent) { r.Op = 3 }), Problem{steps, 1, "op_ix", idOutOfRange, "3"}, 2},
		{"a pool that is not there", step(func(r *trace.OpEvent) { r.Pool = core.Some[core.PoolID](2) }), Problem{steps, 1, "pool_ix", idOutOfRange, "2"}, 2},
		{"a weight that is no number", step(func(r *trace.OpEvent) { r.Weight = core.Some(math.NaN()) }), Problem{steps, 1, "weight", badNumber, "NaN"}, 3},
		{"a share above one", step(func(r *trace.OpEvent) { r.MaxShareRatio = core.Some(2.0) }), Problem{steps, 1, "max_share_ratio", badNumber, "2"}, 3},
		{"a limit below zero", step(func(r *trace.OpEvent) { r.Limit.CPUMilli = core.Some[int64](-10) }), Problem{steps, 1, "limit_cpu_milli", negativeResource, "-10"}, 3},
		{"a filter of an operation that is none", step(func(r *trace.OpEvent) { r.SchedulingTagFilter = core.Some("a &") }),
			Problem{steps, 1, "scheduling_tag_filter", badFilter, "a &: " + filterError("a &")}, 3},
		{"a tolerance above one", step(func(r *trace.OpEvent) { r.FairShareStarvationTolerance = core.Some(1.5) }),
			Problem{steps, 1, "fair_share_starvation_tolerance", badNumber, "1.5"}, 3},
		{"a timeout of an operation below zero", step(func(r *trace.OpEvent) { r.MinSharePreemptionTimeoutMS = core.Some[int64](-1) }),
			Problem{steps, 1, "min_share_preemption_timeout_ms", badNumber, "-1"}, 3},
		{"a preemption mode that is none", step(func(r *trace.OpEvent) { r.PreemptionMode = core.Some("rude") }), Problem{steps, 1, "preemption_mode", unknownEnum, "rude"}, 3},
		{"a number of protected jobs below zero", step(func(r *trace.OpEvent) { r.MaxUnpreemptibleJobs = core.Some[int64](-2) }),
			Problem{steps, 1, "max_unpreemptible_job_count", badNumber, "-2"}, 3},
		{"a node of no tree that is not there", func(t testing.TB, dir string) {
			put(t, dir, "global/node_state.parquet", trace.NodeStates, trace.NodeState{Stamp: stamp(1), Node: 9})
		}, Problem{"global/node_state.parquet", 0, "node_ix", idOutOfRange, "9"}, 0},
		{"an event of no process", func(t testing.TB, dir string) {
			put(t, dir, "global/process_events.parquet", trace.ProcessEvents, trace.ProcessEvent{Stamp: stamp(1), Event: "yawned"})
		}, Problem{"global/process_events.parquet", 0, "event", unknownEnum, "yawned"}, 0},

		{"a need below zero", demand(func(r *trace.Demand) { r.Needed.UserSlots = -1 }),
			Problem{"tree=t/demand-000.parquet", 1, "needed_user_slots", negativeResource, "-1"}, 2},
		{"a demand of no operation", demand(func(r *trace.Demand) { r.Op = -1 }), Problem{"tree=t/demand-000.parquet", 1, "op_ix", idOutOfRange, "-1"}, 2},

		{"a pool that is configured and not there", pool(func(r *trace.PoolConfig) { r.Pool = 5 }), Problem{pools, 1, "pool_ix", idOutOfRange, "5"}, 2},
		{"a parent in another tree", pool(func(r *trace.PoolConfig) { r.Parent = core.Some[core.PoolID](1) }), Problem{pools, 1, "parent_ix", poolOfOtherTree, "other"}, 2},
		{"a mode that is none", pool(func(r *trace.PoolConfig) { r.Mode = "lottery" }), Problem{pools, 1, "mode", unknownEnum, "lottery"}, 3},
		{"a weight of infinity", pool(func(r *trace.PoolConfig) { r.Weight = core.Some(math.Inf(1)) }), Problem{pools, 1, "weight", badNumber, "+Inf"}, 3},
		{"a count below zero", pool(func(r *trace.PoolConfig) { r.MaxOperationCount = core.Some[int64](-3) }), Problem{pools, 1, "max_operation_count", badNumber, "-3"}, 3},
		{"a sort parameter that is none", pool(func(r *trace.PoolConfig) { r.FIFOSortParameters = core.Some("age") }), Problem{pools, 1, "fifo_sort_parameters", unknownEnum, "age"}, 3},
		{"options that are no JSON", pool(func(r *trace.PoolConfig) { r.ConfigJSON = "{" }),
			Problem{pools, 1, "config_json", badConfig, "config_json is not JSON: unexpected EOF"}, 3},
		{"an option of the wrong type", pool(func(r *trace.PoolConfig) { r.ConfigJSON = `{"weight": "much", "mine": 1}` }),
			Problem{pools, 1, "config_json", badConfig, `weight: the value has the wrong type (want a number, got "much")`}, 3},
		{"an option of a map", pool(func(r *trace.PoolConfig) {
			r.ConfigJSON = `{"integral_guarantees": {"guarantee_type": "burst", "can_accept_free_volume": 7}}`
		}), Problem{pools, 1, "config_json", badConfig, "integral_guarantees: the value has the wrong type (can_accept_free_volume: want true or false, got 7)"}, 3},
		{"a column of an option that is a map", pool(func(r *trace.PoolConfig) { r.RelaxedShareMultiplierLimit = core.Some(0.5) }),
			Problem{pools, 1, "relaxed_share_multiplier_limit", badNumber, "0.5"}, 3},
		{"a guarantee type that is none", pool(func(r *trace.PoolConfig) { r.IntegralType = "loan" }), Problem{pools, 1, "integral_type", unknownEnum, "loan"}, 3},
		{"a guarantee below zero", pool(func(r *trace.PoolConfig) { r.Strong.CPUMilli = core.Some[int64](-4) }), Problem{pools, 1, "strong_cpu_milli", negativeResource, "-4"}, 3},
		{"a limit beyond all", pool(func(r *trace.PoolConfig) { r.Limit.Memory = core.Some[int64](math.MaxInt64) }),
			Problem{pools, 1, "limit_memory", badNumber, "9223372036854775807"}, 3},
		{"a filter that is none", pool(func(r *trace.PoolConfig) { r.SchedulingTagFilter = core.Some("a &") }), Problem{pools, 1, "scheduling_tag_filter", badFilter, "a &: " + filterError("a &")}, 3},
		{"a subpool's settings that are no JSON", pool(func(r *trace.PoolConfig) { r.EphemeralSubpoolJSON = core.Some("7 8") }),
			Problem{pools, 1, "ephemeral_subpool_json", badConfig, "ephemeral_subpool_json is not JSON: something follows the value"}, 3},
		{"a subpool's settings that are no map", pool(func(r *trace.PoolConfig) { r.EphemeralSubpoolJSON = core.Some("7") }),
			Problem{pools, 1, "ephemeral_subpool_json", badConfig, "ephemeral_subpool_config: the value has the wrong type (want a map, got 7)"}, 3},
		{"a mode of subpools that is none", pool(func(r *trace.PoolConfig) {
			r.Mode, r.EphemeralSubpoolJSON = "fifo", core.Some(`{"mode": "lottery", "max_operation_count": 2}`)
		}), Problem{pools, 1, "ephemeral_subpool_json", badConfig,
			`ephemeral_subpool_config: the value has the wrong type (mode: want one of ["fair_share" "fifo"], got "lottery")`}, 3},
		{"an option under two names", pool(func(r *trace.PoolConfig) {
			r.ConfigJSON = `{"scheduling_tag": "a", "scheduling_tag_filter": "b"}`
		}), Problem{pools, 1, "config_json", badConfig, "scheduling_tag: the option and its alias cannot both be set (beside scheduling_tag_filter)"}, 3},
		{"a version that ends before it begins", pool(func(r *trace.PoolConfig) { r.ValidTo = core.Some(second(1)) }),
			Problem{pools, 1, "valid_to", endBeforeBegin, "2020-09-13T12:26:41Z"}, 3},
		{"an end of a version that stands for none", pool(func(r *trace.PoolConfig) { r.ValidTo = core.Some[core.Time](253402300799_000000) }),
			Problem{pools, 1, "valid_to", timeOutOfRange, "9999-12-31T23:59:59Z"}, 3},
		{"a timeout below zero", func(t testing.TB, dir string) {
			put(t, dir, "tree=t/tree_config.parquet", trace.TreeConfigs, trace.TreeConfig{Stamp: stamp(1), PreemptTimeoutMS: core.Some[int64](-1)})
		}, Problem{"tree=t/tree_config.parquet", 0, "preempt_timeout_ms", badNumber, "-1"}, 1},
		{"a timeout beyond all time", func(t testing.TB, dir string) {
			put(t, dir, "tree=t/tree_config.parquet", trace.TreeConfigs, trace.TreeConfig{Stamp: stamp(1), FairShareStarvationTimeoutMS: core.Some[int64](math.MaxInt64)})
		}, Problem{"tree=t/tree_config.parquet", 0, "fair_share_starvation_timeout_ms", badNumber, "9223372036854775807"}, 1},
		{"a threshold below zero", func(t testing.TB, dir string) {
			put(t, dir, "tree=t/tree_config.parquet", trace.TreeConfigs, trace.TreeConfig{Stamp: stamp(1), NonPreemptible: trace.PartialResources{GPU: core.Some[int32](-1)}})
		}, Problem{"tree=t/tree_config.parquet", 0, "non_preemptible_gpu", negativeResource, "-1"}, 1},
		{"a smooth period below zero", func(t testing.TB, dir string) {
			put(t, dir, "tree=t/tree_config.parquet", trace.TreeConfigs, trace.TreeConfig{Stamp: stamp(1), SmoothPeriodMS: core.Some[int64](-5), SaturationPeriodMS: core.Some[int64](1)})
		}, Problem{"tree=t/tree_config.parquet", 0, "integral_smooth_period_ms", badNumber, "-5"}, 1},
		{"a main resource that is none", func(t testing.TB, dir string) {
			put(t, dir, "tree=t/tree_config.parquet", trace.TreeConfigs, trace.TreeConfig{Stamp: stamp(1), MainResource: core.Some("disk")})
		}, Problem{"tree=t/tree_config.parquet", 0, "main_resource", unknownEnum, "disk"}, 1},

		{"an operation's number taken", func(t testing.TB, dir string) {
			put(t, dir, "dim/operations.parquet", trace.Operations, trace.Operation{Op: 0, ID: "a"}, trace.Operation{Op: 0, ID: "b"})
		}, Problem{"dim/operations.parquet", 1, "op_ix", duplicateID, "0"}, 0},
		{"a node's number beyond all", func(t testing.TB, dir string) {
			put(t, dir, "dim/nodes.parquet", trace.Nodes, trace.Node{Node: 5, Address: "n"})
		}, Problem{"dim/nodes.parquet", 0, "node_ix", idOutOfRange, "5"}, 0},
		{"a record that the import could not use", func(t testing.TB, dir string) {
			put(t, dir, "global/problems.parquet", trace.Problems, trace.Problem{Source: "log.swf", Row: 4184, Code: "negative_wait", Value: core.Some("-3")})
		}, Problem{"log.swf", 4184, "", "negative_wait", "-3"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog(t, trace.Options{})
			l.check(l.w.Add(&trace.Problem{Source: "s", Code: "c"})) // so that global/ is there
			l.check(l.tree.Add(&trace.NodeState{Stamp: trace.Stamp{Time: second(500), Seq: 500}}))
			l.open()
			put(t, l.dir, "global/problems.parquet", trace.Problems)
			c.plant(t, l.dir)
			tr, err := Open(l.dir)
			if err != nil {
				t.Fatal(err)
			}
			got := events(t, tr, Options{})
			if diff := cmp.Diff([]Problem{c.want}, tr.Problems()); diff != "" {
				t.Error(diff)
			}
			// One event is that of the node.
			if n := strings.Count(got, "\n") - 1; n != c.events {
				t.Errorf("%d events are left, want %d:\n%s", n, c.events, got)
			}
			if Explanations()[c.want.Code] == "" && c.want.Code != "negative_wait" {
				t.Errorf("code %s is not explained", c.want.Code)
			}
		})
	}
}

// A required column may be optional in a foreign file.
func TestANullInARequiredColumnIsAProblem(t *testing.T) {
	type foreign struct {
		trace.Stamp
		Node core.Optional[core.NodeID] `col:"node_ix" doc:"the node"`
		// All else of a heartbeat's required columns.
		Kind      string          `col:"kind" doc:"how"`
		Limit     trace.Resources `col:"limit" doc:"has"`
		Usage     trace.Resources `col:"usage" doc:"uses"`
		Running   int32           `col:"running" doc:"n"`
		Started   int32           `col:"started" doc:"n"`
		Preempted int32           `col:"preempted" doc:"n"`
		Aborted   int32           `col:"aborted" doc:"n"`
		Finished  int32           `col:"finished" doc:"n"`
	}
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.Heartbeat{Stamp: stamp(1)}))
	tr := l.open()
	const file = "tree=t/heartbeats-000.parquet"
	put(t, l.dir, file, parquetlog.Declare[foreign]("heartbeats", ""),
		foreign{Stamp: stamp(1), Node: core.Some[core.NodeID](2)}, foreign{Stamp: stamp(2)}, foreign{Stamp: stamp(3), Node: core.Some[core.NodeID](1)})
	if n := strings.Count(events(t, tr, Options{}), "\n"); n != 2 {
		t.Errorf("%d events are left, want 2", n)
	}
	if diff := cmp.Diff([]Problem{{file, 1, "node_ix", nullValue, ""}}, tr.Problems()); diff != "" {
		t.Error(diff)
	}
}

func TestOfManyProblemsTheRestIsCounted(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.Heartbeat{Stamp: stamp(1)}))
	tr := l.open()
	const file = "tree=t/heartbeats-000.parquet"
	rows := make([]trace.Heartbeat, 5000)
	for i := range rows {
		rows[i] = trace.Heartbeat{Stamp: stamp(int64(i)), Node: 77}
	}
	put(t, l.dir, file, trace.Heartbeats, rows...)
	for range 2 { // reading again counts once
		events(t, tr, Options{})
		got := tr.Problems()
		if len(got) != keptProblems+1 || got[0] != (Problem{file, -1, "", idOutOfRange, "4000 more rows"}) {
			t.Fatalf("%d problems, the first is %+v", len(got), got[0])
		}
		if diff := cmp.Diff([]ProblemCount{{file, idOutOfRange, 5000}}, tr.ProblemCounts()); diff != "" {
			t.Error(diff)
		}
	}
}

// The same rows in differently cut row groups are the same events and problems.
func TestTheCutOfRowGroupsChangesNothing(t *testing.T) {
	var want string
	for _, rowGroup := range []int{0, 60, 999, 4096, 5000} {
		t.Run(fmt.Sprint("rows=", rowGroup), func(t *testing.T) {
			l := newLog(t, trace.Options{RowGroupRows: rowGroup})
			for i := range 6000 {
				s := float64(i) / 10
				l.check(l.tree.Add(&trace.Heartbeat{Stamp: l.at(s), Node: core.NodeID(i % 4), Kind: "recorded"}))
				if i%3 == 0 {
					l.job(trace.Job{Stamp: l.at(s), Job: core.JobID(i), ID: fmt.Sprint("job", i), Op: core.OperationID(i % 3),
						EndKind: "completed", FinishTime: core.Some(second(s + float64(i*7919%100)/10))})
				}
			}
			tr := l.open()
			got := events(t, tr, Options{}) + fmt.Sprint(tr.Problems(), tr.ProblemCounts())
			if want == "" {
				want = got
			}
			if got != want {
				t.Error("the events differ from those of the first cut")
			}
		})
	}
}
