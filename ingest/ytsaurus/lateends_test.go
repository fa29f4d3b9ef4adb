package ytsaurus_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
)

// In a log of 2020 the end of an operation ends its jobs, also those whose start an agent
// tells only then. That a job is aborted in the scheduler's own words, since a tree is
// lost, says nothing of the log's age.
func TestAJobEndsWithItsOperation(t *testing.T) {
	l := sampleLog(t, "2020")
	operation := first(t, l.rows, "operation_completed", "operation_id")
	over := at(t, first(t, l.rows, "operation_completed", "finish_time"))
	job := ""
	rows := edit(t, l.rows, "job_started", func(f fields) bool {
		if f["operation_id"] != operation {
			return false
		}
		job, _ = f["job_id"].(string)
		f["timestamp"] = time.UnixMicro(int64(over + 2*core.Second)).UTC().Format("2006-01-02T15:04:05.000000Z")
		return true
	})
	rows = slices.DeleteFunc(rows, func(row []byte) bool {
		f := fieldsOf(t, row)
		return f["job_id"] == job && f["event_type"] != "job_started"
	})
	rows = edit(t, rows, "job_aborted", set("reason", "operation_finished"))
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
	for _, tree := range joblogtest.Read(t, got.dir).Trees {
		if i := slices.IndexFunc(tree.Jobs, func(j trace.Job) bool { return j.ID == job }); i >= 0 {
			j := &tree.Jobs[i]
			if j.FinishTime != core.Some(over) || j.AbortReason != core.Some("operation_completed") || j.Time >= over {
				t.Errorf("the job runs from %d to %v, not to %d, and is %s %v", j.Time, j.FinishTime, over, j.EndKind, j.AbortReason)
			}
			return
		}
	}
	t.Error("the job is missing")
}

// In a log of 2020 a job whose end has an unusable row did not end with its operation: it may
// have ended at any time since its start.
func TestAJobOfABrokenEndMayBeGoneBeforeItsOperation(t *testing.T) {
	l := sampleLog(t, "2020")
	operation := first(t, l.rows, "operation_completed", "operation_id")
	job := ""
	rows := edit(t, l.rows, "job_completed", func(f fields) bool {
		if f["operation_id"] != operation {
			return false
		}
		job, _ = f["job_id"].(string)
		f["resource_limits"] = map[string]any{"cpu": -1, "user_slots": 1}
		return true
	})
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
	for _, tree := range joblogtest.Read(t, got.dir).Trees {
		if i := slices.IndexFunc(tree.Jobs, func(j trace.Job) bool { return j.ID == job }); i >= 0 {
			j := &tree.Jobs[i]
			if j.EndKind != "unknown" || j.FinishTime.Set || j.ReleaseUncertainty.Set {
				t.Errorf("the job is %s at %v, released up to %v earlier", j.EndKind, j.FinishTime, j.ReleaseUncertainty)
			}
			return
		}
	}
	t.Error("the job is missing")
}
