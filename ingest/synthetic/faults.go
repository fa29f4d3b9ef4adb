package synthetic

import (
	"cmp"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// A Fault is an error of the scheduler in a plant, or of its log: a
// name, and its parameters. Operations and pools have the names of the
// description of the plant, without the name of its tree.
type Fault struct {
	Do string `yaml:"do"`

	Operation string   `yaml:"operation"`
	Other     string   `yaml:"other"`  // another operation
	Victim    string   `yaml:"victim"` // the operation that loses jobs
	Pool      string   `yaml:"pool"`
	Parent    string   `yaml:"parent"` // a pool
	Tree      string   `yaml:"tree"`
	Nodes     []string `yaml:"nodes"` // only on these
	When      []string `yaml:"when"`  // only then, see conditions

	// How long it goes on: to the end of the plant's span, unless something else is said.
	Lasts   Duration `yaml:"lasts"`
	ForGood bool     `yaml:"for_good"`
	Once    bool     `yaml:"once"`

	// Of starts.
	Most    int    `yaml:"most"`    // again and again, while the operation has fewer jobs
	Jobs    int    `yaml:"jobs"`    // only when the operation has so many
	Started int    `yaml:"started"` // only when the heartbeat starts so many, or how many it starts
	Moments int    `yaml:"moments"` // so many times, a second apart
	Stage   string `yaml:"stage"`   // only of this stage
	Slots   int64  `yaml:"slots"`   // that a job takes

	// Of victims: the latest so many jobs (20), or those by which the victim exceeds its
	// share, one less with each job of the operation; of these, those on the node.
	Latest   int      `yaml:"latest"`
	Exceeds  int      `yaml:"exceeds"`
	Least    int      `yaml:"least"`   // only if there are so many
	Count    int      `yaml:"count"`   // how many are taken
	Besides  int      `yaml:"besides"` // of those that the policy takes, which are so many or more
	Oldest   bool     `yaml:"oldest"`  // the oldest, not the latest
	Age      Duration `yaml:"age"`     // only if they ran for so long
	Instead  bool     `yaml:"instead"` // of those that the policy takes
	Of       string   `yaml:"of"`      // whose record is wrong
	List     string   `yaml:"list"`    // in which they stand
	Reason   string   `yaml:"reason"`  // for which they are taken
	Timeout  Duration `yaml:"timeout"`
	Backoff  Duration `yaml:"backoff"`  // only so shortly after the last preemption on the node
	Withhold bool     `yaml:"withhold"` // nothing for the operation before that

	Period Duration `yaml:"period"` // from time to time
	But    Duration `yaml:"but"`    // and not at its beginning

	// How preempted jobs leave.
	After         Duration `yaml:"after"`
	Interruptible bool     `yaml:"interruptible"`
	Completed     bool     `yaml:"completed"`

	Limit  int64  `yaml:"limit"`
	Option string `yaml:"option"`
	Status string `yaml:"status"`
	Spec   string `yaml:"spec"`

	// Of records and configurations.
	Table     string               `yaml:"table"`
	Where     map[string]any       `yaml:"where"` // only rows with these values; some: any but null and zero
	Every     int64                `yaml:"every"` // only every so many
	Set       map[string]any       `yaml:"set"`   // columns; null: no value; a time: from the row's on
	Then      map[string]any       `yaml:"then"`  // at the end of the span; otherwise all is as before
	Add       map[string]float64   `yaml:"add"`
	Scale     map[string]float64   `yaml:"scale"`
	Replace   map[string][2]string `yaml:"replace"`
	Early     Duration             `yaml:"early"`  // before the span begins
	Nested    int                  `yaml:"nested"` // so many pools, each in the one before
	Ephemeral bool                 `yaml:"ephemeral"`
}

// configurations are the faults that stand in what is configured.
var configurations = map[string]func(f *field, d *Fault){
	"configure": configureWrongly,
	"name_pool": func(f *field, d *Fault) { f.addPool(f.tree, d.Pool, d.Ephemeral) },
}

// injections are the others.
var injections = map[string]func(f *field, d *Fault){
	// Decisions of a heartbeat.
	"start":           start,
	"start_instead":   startInstead,
	"enlarge":         enlarge,
	"withhold":        withholdFor,
	"preempt_nothing": func(f *field, d *Fault) { f.during(d, preemptNothing) },
	"take":            takeForNothing,
	"take_for":        takeFor,
	"take_for_nobody": takeForNobody,
	"take_from":       takeFrom,
	"take_back":       takeBack,
	"take_fewer":      takeFewer,
	"take_more":       takeMore,
	"swap_victim":     swapVictim,
	"claim_stage":     claimStage,
	"claim_level":     claimLevel,

	// Operations and their pools.
	"land": func(f *field, d *Fault) { f.place(d, func(string) (string, error) { return d.Pool, nil }) },
	"refuse": func(f *field, d *Fault) {
		f.place(d, func(pool string) (string, error) {
			return pool, &pooltree.Refusal{Reason: pooltree.MaxOperationCount, Tree: f.plant.treeName(), Pool: pool, Limit: d.Limit}
		})
	},
	"move": func(f *field, d *Fault) {
		f.watched = true
		f.injector.Move = func(_ core.Time, _ int, _ core.OperationID, pool string, refused error) (string, error) {
			f.noteEffect(pool != d.Pool || refused != nil)
			return d.Pool, nil
		}
	},
	"let_in": func(f *field, d *Fault) {
		late := f.operation(d.Operation)
		f.injector.Bar = func(_ core.Time, o core.OperationID, code int32) int32 {
			if o == late {
				return 0
			}
			return code
		}
	},
	"run": func(f *field, d *Fault) { f.run(f.operation(d.Operation)) },
	"run_instead": func(f *field, d *Fault) {
		waits, other, done := f.operation(d.Operation), f.operation(d.Other), false
		f.runs(func(_ core.Time, o core.OperationID) core.OperationID {
			if o == waits && !done {
				done = true
				return other
			}
			return o
		})
	},
	"leave_pending": func(f *field, d *Fault) {
		waits := f.operation(d.Operation)
		f.runs(func(at core.Time, o core.OperationID) core.OperationID {
			if o == waits && (d.ForGood || at < f.to) {
				return core.Unknown
			}
			return o
		})
	},
	"ignore": ignore,

	// What becomes of jobs.
	"keep_jobs": func(f *field, _ *Fault) {
		f.watched = true
		f.injector.Keep = func(core.Time, int, core.NodeID) bool { return f.noteEffect(true) }
	},
	"stop": func(f *field, d *Fault) {
		f.stops(func(simulate.Ending) simulate.Ending {
			return simulate.Ending{After: core.Time(d.After), Interruptible: d.Interruptible, Completed: d.Completed}
		})
	},
	"lose_work": func(f *field, d *Fault) {
		lost := false
		f.stops(func(e simulate.Ending) simulate.Ending {
			if !d.Once || !lost && !e.Completed {
				e.Lost, lost = true, true
			}
			return e
		})
	},
	"wait": func(f *field, d *Fault) {
		waits := f.operation(d.Operation)
		f.watched = true
		f.recorder.stuck = append(f.recorder.stuck, func(r *trace.Job, at core.Time) bool {
			return f.noteEffect(r.Op == waits && (d.Lasts == 0 || at < r.Time+core.Time(d.Lasts)))
		})
	},

	// What is said.
	"say": func(f *field, d *Fault) {
		of, told := f.operation(d.Operation), word[scheduling.Status](d.Status)
		f.watched = true
		f.injector.Status = func(at core.Time, _ int, o core.OperationID, s scheduling.Status) scheduling.Status {
			if o == of && at >= f.from && at < f.to {
				f.noteEffect(s != told)
				return told
			}
			return s
		}
	},
	"record":            recordWrongly,
	"record_pool":       recordPool,
	"record_twice":      recordTwice,
	"record_since_turn": recordSinceTurn,
	"record_ban":        recordBan,
	"record_spec": func(f *field, d *Fault) {
		f.recorder.rows[f.operation(d.Operation)].SpecJSON = core.Some(f.text(d.Spec))
	},
}

// noteEffect records whether the fault had an effect, and returns that.
func (f *field) noteEffect(happened bool) bool {
	f.happened = f.happened || happened
	return happened
}

// text inserts the name of the plant's tree into a text.
func (f *field) text(s string) string { return strings.ReplaceAll(s, treeMark, f.plant.treeName()) }

// word returns the value with a name, the first one of its type for the empty name.
func word[T interface {
	~uint8
	String() string
}](name string) T {
	for value := T(0); name != ""; value++ {
		if value.String() == name {
			return value
		}
	}
	return 0
}

// place alters where an operation lands.
func (f *field) place(d *Fault, alter func(pool string) (string, error)) {
	o := f.operation(d.Operation)
	f.watched = true
	f.injector.Place = func(_ core.Time, _ int, asked core.OperationID, pool string, refused error) (string, error) {
		if asked != o {
			return pool, refused
		}
		in, err := alter(pool)
		f.noteEffect(in != pool || (err == nil) != (refused == nil))
		return in, err
	}
}

// runs alters which operation is marked running.
func (f *field) runs(alter func(at core.Time, o core.OperationID) core.OperationID) {
	f.watched = true
	f.injector.Run = func(at core.Time, _ int, o core.OperationID) core.OperationID {
		bent := alter(at, o)
		f.noteEffect(bent != o)
		return bent
	}
}

// run has an operation marked running at the fault's beginning.
func (f *field) run(o core.OperationID) {
	t := &f.plan.Trees[f.tree]
	t.Facts = append(t.Facts, core.Event{
		Time: f.from, Kind: core.OperationChanged, Step: core.StepRunning, Operation: o,
		Pool: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown,
	})
	slices.SortStableFunc(t.Facts, func(a, b core.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Kind, b.Kind))
	})
}

// stops alters how preempted jobs leave.
func (f *field) stops(alter func(simulate.Ending) simulate.Ending) {
	f.watched = true
	f.injector.Stop = func(_ core.Time, _ int, _ core.OperationID, e simulate.Ending) simulate.Ending {
		bent := alter(e)
		f.noteEffect(bent != e)
		return bent
	}
}

// ignore has the scheduler not see an option of an operation, or the settings above all
// trees that come after the first.
func ignore(f *field, d *Fault) {
	switch d.Option {
	case "schedule_in_single_tree":
		f.plan.Operations[f.operation(d.Operation)].SingleTree = false
	case "erase_trees_with_pool_limit_violations":
		f.plan.Operations[f.operation(d.Operation)].Erases = false
	case "cluster_settings":
		for i := range f.plan.Trees {
			t := &f.plan.Trees[i]
			t.Facts = slices.DeleteFunc(slices.Clone(t.Facts), func(e core.Event) bool {
				return e.Kind == core.ClusterConfigured && e.Time > f.window.From
			})
		}
	}
}
