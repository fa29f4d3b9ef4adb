package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

const second = core.Time(1_000_000)

// at is a time of the tests' day.
func at(s int) core.Time { return core.Time(1_700_000_000)*second + core.Time(s)*second }

// whole is the coverage of a log that tells everything, but for what is named: pairs
// of an aspect and its state.
func whole(but ...string) map[string]string {
	states := map[string]string{"demand": "recorded", "placement": "recorded", "tree_config": "history", "specs": "recorded", "smallest_jobs": "recorded"}
	for k := range resource.Kinds {
		states["capacity."+resource.Kind(k).String()] = "recorded"
		states["usage."+resource.Kind(k).String()] = "recorded"
	}
	for pair := range slices.Chunk(but, 2) {
		states[pair[0]] = pair[1]
	}
	return states
}

// addTree writes the rows that every tree has.
func (r *testRun) addTree(tree string, states map[string]string) {
	put(r, tree, tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(86400)})
	var rows []tables.Coverage
	for aspect, state := range states {
		rows = append(rows, tables.Coverage{Aspect: aspect, State: state, Seen: 10})
	}
	put(r, tree, rows...)
}

// judge runs the named audits alone, or all. To run them all takes most of a test's time: it
// names those that it is about. To grade promises takes as long as some audits: graded does.
func (r *testRun) judge(audits ...string) *Verdict {
	r.t.Helper()
	return r.judgeWith(Options{Queries: about(r.t, audits...), Only: audits, FindingsAlone: true})
}

// graded runs the named audits alone, and grades the promises that they judge.
func (r *testRun) graded(audits ...string) *Verdict {
	r.t.Helper()
	return r.judgeWith(Options{Queries: about(r.t, audits...), Only: audits})
}

// audit runs the named audits as if there were no others: the run has a database then, with
// what they found and all views.
func (r *testRun) audit(audits ...string) *Verdict {
	r.t.Helper()
	return r.judgeWith(Options{Queries: about(r.t, audits...)})
}

// makeDatabase makes the database that query asks, and judges as little as may be.
func (r *testRun) makeDatabase() {
	r.t.Helper()
	r.judgeWith(Options{Queries: about(r.t, "job_without_end")})
}

// notices are those of a verdict, but that it is one of some audits only.
func notices(v *Verdict) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(v.Notices), func(n string) bool { return v.Partial && strings.HasPrefix(n, "Only ") }), "\n")
}

// judgeWith audits the run; none of the audits may fail.
func (r *testRun) judgeWith(o Options) *Verdict {
	r.t.Helper()
	o.undescribed = !r.described
	o.Dir, o.Workers = r.dir, 1
	v, err := Run(context.Background(), o)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, o := range v.Outcomes {
		if o.Verdict == Failed {
			r.t.Errorf("audit %s failed: %s", o.Audit.ID, o.Reason)
		}
	}
	for _, f := range v.Findings {
		// The column says what the sentence does; what is excused has one.
		_, said, says := strings.Cut(f.Reason, "Excused: ")
		if f.Excuse == "" && f.Verdict == Excused || says && !strings.HasPrefix(said, f.Excuse+".") {
			r.t.Errorf("%s: %s with the excuse %q: %s", f.Audit, f.Verdict, f.Excuse, f.Reason)
		}
	}
	return v
}

// found is what an audit found, one line per finding, shortest form.
func (v *Verdict) found(audit string) string {
	var lines []string
	for _, f := range v.Findings {
		if f.Audit == audit {
			line := fmt.Sprintf("%s %s %s %s", f.Verdict, f.Tree, f.SubjectKind, f.Subject)
			if f.Aspect != "" {
				line += " " + f.Aspect
			}
			lines = append(lines, fmt.Sprintf("%s %.4g %s", line, *f.Magnitude, f.Unit))
		}
	}
	return strings.Join(lines, "\n")
}

func (v *Verdict) outcome(audit, tree string) Outcome {
	for _, o := range v.Outcomes {
		if o.Audit.ID == audit && o.Tree == tree {
			return o
		}
	}
	return Outcome{}
}

// expect holds what an audit says of some trees as a whole.
func (r *testRun) expect(v *Verdict, audit string, trees map[string]Judgement) {
	r.t.Helper()
	for tree, want := range trees {
		if o := v.outcome(audit, tree); o.Verdict != want {
			r.t.Errorf("%s of %s is %+v, want %s", audit, tree, o, want)
		}
	}
}

// files are the files of a table, those of the trees named.
func (r *testRun) files(table string, trees ...string) (paths []string) {
	for _, tree := range trees {
		paths = append(paths, filepath.Join(r.dir, tables.Directory, tables.FileName(table, tree)))
	}
	return paths
}
