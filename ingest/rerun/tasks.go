package rerun

import (
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
)

// A builder makes the tasks of an operation: all work of one size that is wanted from
// the same moment.
type builder struct {
	ready    core.Time // when the operation could get jobs
	releases []release
	covered  resource.Vector // the work so far
	next     int             // the first release that may cover more

	tasks []simulate.Task
	works []work
	at    map[taskKey]int
}

type taskKey struct {
	size  resource.Vector
	after core.Time
	rest  bool // a task holds what was begun before what was not
}

// begun adds a piece of work that some job began.
func (b *builder) begun(p *piece) {
	t := b.task(taskKey{size: p.size, after: b.after(p.size, p.start)})
	b.tasks[t].Jobs++
	b.works[t].add(p)
}

// never is later than any time.
const never = core.Time(1<<63 - 1)

// rest adds jobs whose length no log records.
func (b *builder) rest(t simulate.Task, runs core.Time) {
	for range t.Jobs {
		at := b.task(taskKey{t.Resources, b.after(t.Resources, never), true})
		b.tasks[at].Jobs++
		b.works[at].more = runs
	}
}

func (b *builder) task(k taskKey) int {
	at, known := b.at[k]
	if !known {
		at = len(b.tasks)
		b.at[k] = at
		b.tasks, b.works = append(b.tasks, simulate.Task{Resources: k.size, After: k.after}), append(b.works, work{})
	}
	return at
}

// after returns the time from the beginning until one more job, which starts at the given time, is
// wanted: that of the first release that covers it, or of the last one before it started.
func (b *builder) after(size resource.Vector, start core.Time) core.Time {
	b.covered = b.covered.Add(size)
	for b.next < len(b.releases) && !b.covered.FitsIn(b.releases[b.next].sum) {
		b.next++
	}
	at := b.ready
	for i := min(b.next, len(b.releases)-1); i >= 0; i-- {
		if r := b.releases[i]; r.at <= start {
			at = r.at
			break
		}
	}
	return max(at-b.ready, 0)
}

// inJobs divides a demand into jobs of one or two of the sizes, or else of its mean. The number
// of jobs is less than 1 if the log does not record it.
func inJobs(needed resource.Vector, jobs int64, sizes []resource.Vector) []simulate.Task {
	if needed.IsZero() {
		return nil
	}
	if jobs < 1 {
		jobs = max(needed[resource.UserSlots], 1)
		for _, size := range sizes {
			if n := multiple(needed, size); n > 0 {
				jobs = n
				break
			}
		}
	}
	for i, a := range sizes {
		for _, b := range sizes[:i+1] {
			if n, ok := split(needed, jobs, a, b); ok {
				return slices.DeleteFunc([]simulate.Task{{Jobs: int(n), Resources: a}, {Jobs: int(jobs - n), Resources: b}},
					func(t simulate.Task) bool { return t.Jobs == 0 })
			}
		}
	}
	for k := range needed {
		needed[k] /= jobs
	}
	return []simulate.Task{{Jobs: int(jobs), Resources: needed}}
}

// split returns the number of jobs of size a, if these and jobs of size b together make up a
// demand.
func split(needed resource.Vector, jobs int64, a, b resource.Vector) (n int64, ok bool) {
	for k := range needed {
		if a[k] != b[k] {
			n = (needed[k] - jobs*b[k]) / (a[k] - b[k])
			break
		}
	}
	return n, n >= 0 && n <= jobs && times(a, n).Add(times(b, jobs-n)) == needed
}

// multiple returns n if a demand is n times a size, 0 if it is not a multiple.
func multiple(needed, size resource.Vector) int64 {
	for k, amount := range size {
		if amount > 0 && times(size, needed[k]/amount) == needed {
			return needed[k] / amount
		}
	}
	return 0
}

func times(v resource.Vector, n int64) resource.Vector {
	for k := range v {
		v[k] *= n
	}
	return v
}
