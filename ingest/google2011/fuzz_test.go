package google2011

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
)

const eventHeader = "time_us,missing_info,job_id,event_type,user,scheduling_class,job_name,logical_job\n"

// FuzzTables reads any bytes as the tables of a log and follows the jobs: every row is
// used or left out with a code, and the turns of a life follow each other.
func FuzzTables(f *testing.F) {
	f.Add([]byte(eventHeader+"0,,1,0,u,2,j,l\n5,,1,1,u,2,j,l\n9,,1,2,u,2,j,l\n12,,1,0,u,3,j,l\n12,,1,1,u,3,j,l\n20,,1,4,u,3,j,l\n"),
		[]byte("machine_id\n5\n6\n5\n"), []byte("time_us,machine_id\n7,5\n7,5\n8,9\n"))
	f.Add([]byte(eventHeader+"1,0,1,1,,,,\n1,1,1,7,,1,,\"a\n1,2,1,8,u,1,,\x07\n1,3,1,5,u,1,,\xff\n1,3,1,5,u,1,,\xff\n2,,1,0,v,,,\n2,,1,6,v,,,\"\"\"\"\n"), []byte("machine_id\n-1\n\n"), []byte("machine_id,time_us\n"))
	f.Add([]byte(eventHeader+"9223372036854775807,,1,0,u,2,j,l\n253402300800000000,,1,0,u,2,j,l\n3,,1,9,u,2,j,l\n3,,1,0,u,99999999999,j,l\n"), []byte("\x1f\x8b"), []byte("\x28\xb5\x2f\xfd"))
	f.Add([]byte(eventHeader+"1,,1,0,u,2,j,\x07\n"), []byte(nil), []byte(nil))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, eventTable, machineTable, removalTable []byte) {
		o := Options{Directory: dir}
		for name, text := range map[string][]byte{eventsName: eventTable, machinesName: machineTable, removalsName: removalTable} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var problems joblog.Problems
		e, source, err := readEvents(t.Context(), filepath.Join(dir, eventsName), &o, &problems)
		if checkRead(t, err) {
			if left := problems.Quarantined(); source.Rows != int64(len(e.all))+left {
				t.Fatalf("of %d rows %d are used and %d left out", source.Rows, len(e.all), left)
			}
			e.sort()
			l := livesOf(e, "events", &problems)
			for _, by := range []string{byClass, byUser} {
				forest := joblog.NewForest(nil, 1)
				l.assignPools(forest, by)
				if forest.Err() == nil {
					checkLives(t, l, len(forest.Pools))
				}
			}
		}
		problems = joblog.Problems{}
		m, sources, err := readMachines(&o, &problems)
		if !checkRead(t, err) {
			return
		}
		var rows, left int64
		for _, s := range sources {
			rows += s.Rows
		}
		for _, n := range m.nodes() {
			left += int64(len(n.Left))
		}
		if left > m.removals || m.removals > rows-problems.Quarantined() {
			t.Fatalf("%d removals of %d in %d rows, of which %d are left out", left, m.removals, rows, problems.Quarantined())
		}
	})
}

// checkRead reports whether a table was read. What is no table is bad input.
func checkRead(t *testing.T, err error) bool {
	var bad *parquetlog.FormatError
	if err != nil && !errors.As(err, &bad) {
		t.Fatal(err)
	}
	return err == nil
}

func checkLives(t *testing.T, l *lives, pools int) {
	names := map[string]bool{}
	var o joblog.Operation
	for i := range l.Len() {
		l.Describe(i, &o)
		if names[o.ID] {
			t.Fatalf("two operations are called %q", o.ID)
		}
		names[o.ID] = true
		if text := l.Annotations(i); !json.Valid([]byte(text)) {
			t.Fatalf("the annotations of operation %s are no JSON: %s", o.ID, text)
		}
		at := o.Submit
		for _, turn := range o.Turns {
			if turn.Time < at || int(turn.Pool) >= pools || turn.Step == core.StepPoolChanged && turn.Pool < 0 {
				t.Fatalf("operation %+v", o)
			}
			at = turn.Time
		}
		if o.Submit < 0 || o.End.Set && o.End.Value < at || int(o.Pool) >= pools {
			t.Fatalf("operation %+v", o)
		}
	}
}
