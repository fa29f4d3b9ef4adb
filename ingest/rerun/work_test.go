package rerun

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
)

// cores is a job of so many cores.
func cores(n int64) resource.Vector {
	return resource.Vector{resource.UserSlots: 1, resource.CPU: n * resource.CentsPerCore}
}

// of is the work of some jobs, a count and the cores of each in turn.
func of(counts ...int64) (sum resource.Vector) {
	for i := 0; i < len(counts); i += 2 {
		sum = sum.Add(times(cores(counts[i+1]), counts[i]))
	}
	return sum
}

// attempts reads a job a line: start and finish in seconds, cores, how it ended, its
// name, and its predecessor's.
func attempts(t *testing.T, text string) (list []attempt) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(text)) {
		var a attempt
		var finish core.Time
		var size int64
		var end string
		if n, _ := fmt.Sscan(line, &a.start, &finish, &size, &end, &a.name, &a.after); n < 4 {
			t.Fatalf("%q is no job", line)
		}
		a.start, a.finish, a.size = a.start*core.Second, core.Optional[core.Time]{Value: finish * core.Second, Set: finish != 0}, cores(size)
		a.began = a.start
		switch end {
		case "completed":
			a.end = core.EndCompleted
		case "failed":
			a.end = core.EndFailed
		case "stored":
			a.end, a.putAway = core.EndPreempted, true
		case "running":
			a.end = core.EndRunning
		case "preempted":
			a.end = core.EndPreempted
		default:
			t.Fatalf("nothing ends %q", end)
		}
		list = append(list, a)
	}
	return list
}

func wanted(at core.Time, needed resource.Vector, jobs int64) want {
	return want{at: at * core.Second, needed: needed, jobs: jobs}
}

// tellTasks is a line for every task: its jobs, when they are wanted, and how long each
// runs, with the time after which it failed before.
func tellTasks(tasks []simulate.Task, works []work) string {
	var b strings.Builder
	for i, task := range tasks {
		fmt.Fprintf(&b, "%d of %v cores after %d:", task.Jobs, task.Resources.Real(resource.CPU), task.After/core.Second)
		for n := range task.Jobs {
			for attempt := 0; ; attempt++ {
				runs, fails := outcome([][]work{works}, simulate.Work{Task: i, Index: n, Attempt: attempt})
				if fails {
					fmt.Fprintf(&b, " fails %d", runs/core.Second)
					continue
				}
				fmt.Fprintf(&b, " %d", runs/core.Second)
				break
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestWork(t *testing.T) {
	for _, c := range []struct {
		name, jobs string
		wants      []want
		alive      bool // at the log's end, which is at 1000 s; else it was completed at 500
		unlinked   bool // no job of the trace names its predecessor
		unmeasured bool // nothing is known of how long some job lasts
		want       string
	}{
		{name: "jobs last as long as they did, by their size",
			jobs: "10 20 1 completed\n10 40 2 completed\n12 15 1 completed",
			want: "2 of 1 cores after 0: 10 3\n1 of 2 cores after 0: 30\n"},
		{name: "a job that failed fails again",
			jobs: "10 14 1 failed a\n20 50 1 completed b a",
			want: "1 of 1 cores after 0: fails 4 30\n"},
		{name: "one that was preempted and begun again lasts as long as it then did",
			jobs: "10 14 1 preempted a\n20 50 1 completed b a",
			want: "1 of 1 cores after 0: 30\n"},
		{name: "one that put away its work lasts as long as all parts of it",
			jobs: "10 14 1 stored a\n20 50 1 completed b a",
			want: "1 of 1 cores after 0: 34\n"},
		{name: "where nobody went on the rest was nothing",
			jobs: "10 14 1 stored a",
			want: "1 of 1 cores after 0: 4\n"},
		{name: "one that was never finished lasts as the median of its size, and as long as it did",
			jobs:  "10 20 1 completed\n10 22 1 completed\n10 30 1 completed\n10 15 1 preempted a\n10 90 1 preempted b\n10 90 2 completed",
			wants: []want{wanted(10, of(5, 1, 1, 2), 6), wanted(100, of(2, 1), 2)}, alive: true,
			want: "5 of 1 cores after 0: 10 12 20 12 80\n1 of 2 cores after 0: 80\n"},
		{name: "one of another size lasts as the median of the operation",
			jobs: "10 20 1 completed\n10 40 1 completed\n10 70 1 completed\n11 0 2 running a", wants: []want{wanted(10, of(3, 1, 1, 2), 4)}, alive: true,
			want: "3 of 1 cores after 0: 10 30 60\n1 of 2 cores after 0: 989\n"},
		{name: "a completed operation did not need what was never finished",
			jobs: "10 20 1 completed\n10 15 1 preempted a",
			want: "1 of 1 cores after 0: 10\n"},
		{name: "without names the next job of the size goes on with what was left",
			jobs: "10 15 1 preempted a\n11 16 2 failed b\n12 31 1 completed c\n15 40 1 completed d\n20 50 2 completed e", unlinked: true,
			want: "2 of 1 cores after 0: 25 19\n1 of 2 cores after 0: fails 5 30\n"},
		{name: "work is wanted when demand covers it",
			jobs:  "10 20 1 completed\n30 40 1 completed\n60 70 1 completed\n70 80 1 completed",
			wants: []want{wanted(10, of(2, 1), 2), wanted(50, of(2, 1), 2)},
			want:  "2 of 1 cores after 0: 10 10\n2 of 1 cores after 40: 10 10\n"},
		{name: "what is begun again is no more work",
			jobs:  "10 20 1 preempted a\n30 40 1 completed b a\n60 70 1 completed",
			wants: []want{wanted(10, of(1, 1), 1), wanted(21, of(1, 1), 1), wanted(50, of(1, 1), 1)},
			want:  "1 of 1 cores after 0: 10\n1 of 1 cores after 40: 10\n"},
		{name: "nor is the rest of what was put away",
			jobs:  "10 20 1 stored a\n30 40 1 completed b a\n60 70 1 completed",
			wants: []want{wanted(10, of(1, 1), 1), wanted(21, of(1, 1), 1), wanted(50, of(1, 1), 1)},
			want:  "1 of 1 cores after 0: 20\n1 of 1 cores after 40: 10\n"},
		{name: "work that no demand covers is wanted with the last before it began",
			jobs:  "10 20 1 completed\n30 40 1 completed\n60 70 1 completed",
			wants: []want{wanted(10, of(1, 1), 1), wanted(50, resource.Vector{}, 0), wanted(80, of(9, 1), 9)},
			want:  "2 of 1 cores after 0: 10 10\n1 of 1 cores after 40: 10\n"},
		{name: "the last demand of one that lives is work too",
			jobs:  "10 20 1 completed\n30 32 2 completed\n31 0 1 running a",
			wants: []want{wanted(10, of(4, 1, 3, 2), 7)}, alive: true,
			want: "2 of 1 cores after 0: 10 969\n1 of 2 cores after 0: 2\n2 of 2 cores after 0: 2 2\n2 of 1 cores after 0: 10 10\n"},
		{name: "of sizes that do not add up jobs get the mean",
			jobs:  "10 20 1 completed",
			wants: []want{wanted(10, of(1, 1, 1, 2, 1, 4), 3)}, alive: true,
			want: "1 of 1 cores after 0: 10\n2 of 3 cores after 0: 10 10\n"},
		{name: "jobs of whose length nothing is known last to the end",
			wants: []want{wanted(10, of(2, 1), 2)}, alive: true, unmeasured: true,
			want: "2 of 1 cores after 0: 1000 1000\n"},
		{name: "those too that ran and were not completed, whenever they start",
			jobs: "10 20 1 preempted a\n900 0 2 running b", alive: true, unmeasured: true,
			want: "1 of 1 cores after 0: 1000\n1 of 2 cores after 0: 1000\n"},
		{name: "an operation without work lives as long as it did",
			wants: []want{wanted(10, resource.Vector{}, 0)},
			want:  "0 of 0 cores after 490:\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := operation{submitted: core.Some(8 * core.Second), attempts: attempts(t, c.jobs+"\n"), wants: c.wants, end: core.Some(500 * core.Second), completed: true}
			if c.alive {
				o.end, o.completed = core.Optional[core.Time]{}, false
			}
			r := reader{operations: []operation{o}, linked: !c.unlinked, log: core.Span{To: 1000 * core.Second}, unmeasured: map[core.OperationID]bool{},
				plan: &simulate.Plan{Operations: []simulate.Operation{{Requests: []simulate.Request{{}}}}}}
			pieces := r.operations[0].pieces(r.linked, r.log.To)
			if got := tellTasks(r.tasks(0, pieces, ofOperation(pieces, nil))); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if got := r.unmeasured[0]; got != c.unmeasured {
				t.Errorf("nothing is known of the length of its jobs: %v, want %v", got, c.unmeasured)
			}
		})
	}
}

// TestWorkAcrossTheBeginning: what ran when a plan begins, and what was demanded then, is its work.
func TestWorkAcrossTheBeginning(t *testing.T) {
	const begin = 200 * core.Second
	for _, c := range []struct {
		name, jobs string
		wants      []want
		want       string
	}{
		{"what runs is not what is pending",
			"10 0 1 running a\n10 0 1 running b\n10 0 1 running c\n", []want{wanted(5, of(5, 1), 5), wanted(11, of(2, 1), 2)},
			"3 of 1 cores after 0: 800 800 800\n2 of 1 cores after 0: 800 800\n"},
		{"nor is what began after the last row",
			"10 50 1 completed\n10 50 1 completed\n60 100 1 completed\n150 0 1 running g\n", []want{wanted(5, of(6, 1), 6)},
			"1 of 1 cores after 0: 800\n2 of 1 cores after 0: 800 800\n"},
		{"unless it was left undone",
			"10 50 1 preempted a\n150 0 1 running g\n", []want{wanted(5, of(3, 1), 3)},
			"1 of 1 cores after 0: 800\n2 of 1 cores after 0: 800 800\n"},
		{"what is pending is wanted at once",
			"10 250 1 completed\n10 310 1 completed\n250 400 1 completed\n310 420 1 completed", []want{wanted(5, of(4, 1), 4), wanted(11, of(2, 1), 2), wanted(251, of(1, 1), 1), wanted(311, resource.Vector{}, 0)},
			"4 of 1 cores after 0: 50 110 150 110\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := operation{submitted: core.Some(4 * core.Second), ready: core.Some(5 * core.Second), attempts: attempts(t, c.jobs), wants: c.wants}
			r := reader{operations: []operation{o}, linked: true, log: core.Span{To: 1000 * core.Second}, unmeasured: map[core.OperationID]bool{},
				plan: &simulate.Plan{Window: core.Span{From: begin, To: 1000 * core.Second}, Operations: []simulate.Operation{{Requests: []simulate.Request{{}}}}}}
			if !r.operations[0].cut(begin) {
				t.Error("nothing is older")
			}
			if got := tellTasks(r.tasks(0, r.operations[0].pieces(true, r.log.To), nil)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestADemandIsDividedIntoJobs(t *testing.T) {
	for _, c := range []struct {
		needed resource.Vector
		jobs   int64
		sizes  []resource.Vector
		want   string
	}{
		{of(4, 1), 4, []resource.Vector{cores(2), cores(1)}, "4 of 1"},
		{of(4, 1, 3, 2), 7, []resource.Vector{cores(5), cores(2), cores(1)}, "4 of 1, 3 of 2"},
		{of(4, 2), 0, []resource.Vector{cores(5), cores(2)}, "4 of 2"},
		{of(3, 4), -1, nil, "3 of 4"},
		{of(1, 2, 1, 4), 2, []resource.Vector{cores(1)}, "2 of 3"},
		{resource.Vector{}, 2, nil, ""},
	} {
		var got []string
		for _, task := range inJobs(c.needed, c.jobs, c.sizes) {
			got = append(got, fmt.Sprintf("%d of %v", task.Jobs, task.Resources.Real(resource.CPU)))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%d jobs of %v are %s, want %s", c.jobs, c.needed, got, c.want)
		}
	}
}

// TestAPreemptedJobStopsAsOneOfItsOperationDid: as one that was asked likewise; where none is
// recorded, one that is asked gracefully runs on, and another is aborted at once.
func TestAPreemptedJobStopsAsOneOfItsOperationDid(t *testing.T) {
	recorded := stops{
		otherwise:  []simulate.Stopping{{Interruptible: true, Takes: 2}, {Takes: 9}},
		gracefully: []simulate.Stopping{{Interruptible: true, Takes: 30}},
	}
	for attempt, want := range []simulate.Stopping{recorded.otherwise[1], recorded.otherwise[0]} {
		if got := recorded.stoppingOf(simulate.Work{Attempt: attempt}, false); got != want {
			t.Errorf("attempt %d: %+v, want %+v", attempt, got, want)
		}
	}
	if got := recorded.stoppingOf(simulate.Work{}, true); got != recorded.gracefully[0] {
		t.Errorf("asked gracefully: %+v", got)
	}
	var none stops
	if got := none.stoppingOf(simulate.Work{}, false); got != (simulate.Stopping{}) {
		t.Errorf("where none is recorded: %+v", got)
	}
	if got := none.stoppingOf(simulate.Work{}, true); got != (simulate.Stopping{Interruptible: true, Takes: -1}) {
		t.Errorf("where none is recorded, asked gracefully: %+v", got)
	}
}
