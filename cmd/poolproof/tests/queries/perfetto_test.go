package queries

import (
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/audit/report/perfetto/perfettotest"
	"poolproof/cmd/poolproof/commandtest"
)

// TestATraceForPerfettoIsTheTables holds the trace of a tree against the tables of its run:
// each pool and operation with its counters, episodes and findings, each preemption with
// its flow, each configuration.
func TestATraceForPerfettoIsTheTables(t *testing.T) {
	db, run := commandtest.MadeRun(t, commandtest.SmallCluster), filepath.Join(commandtest.Made(t, commandtest.SmallCluster), "run")
	var stdout bytes.Buffer
	c := exec.Command("poolproof", "explain", run, "physical", "--output", "perfetto")
	c.Stdout = &stdout
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	trace, err := perfettotest.Read(stdout.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	lines := func(query string) (all []string) {
		all, _ = commandtest.RowsOf(t, db, 1, query)
		return all
	}
	for _, e := range trace.Events {
		if strings.HasPrefix(e.Name, "left out") {
			t.Fatalf("the trace is not whole, which this test needs: %s", e.Name)
		}
	}
	for what, compare := range map[string]struct{ got, want []string }{
		"tracks": {tracedElements(trace), lines(`
			SELECT 'tree physical / pool ' || replace(p.path, '/', ' / pool ') FROM pools AS p WHERE tree = 'physical' AND pool IN (SELECT pool FROM pool_intervals WHERE tree = 'physical')
			UNION SELECT 'tree physical / pool ' || replace(p.path, '/', ' / pool ') || ' / operation ' || o.operation FROM operations AS o JOIN pools AS p USING (tree, pool)
			WHERE tree = 'physical' AND operation IN (SELECT operation FROM operation_intervals WHERE tree = 'physical')
			UNION SELECT 'tree physical'
			ORDER BY ALL`)},
		"usage":      {stepsOf(trace, "usage"), steps(t, db, "usage_ratio")},
		"demand":     {stepsOf(trace, "demand"), steps(t, db, "demand_ratio")},
		"fair share": {stepsOf(trace, "fair share"), steps(t, db, "fair_share_ratio")},
		"guarantee":  {stepsOf(trace, "guarantee"), steps(t, db, "min_share_ratio")},
		"starvation": {slicesOf(trace, "starving"), lines(`
			SELECT epoch_us(from_time) || ' ' || epoch_us(to_time) || ' ' || coalesce('operation ' || operation, 'pool ' || pool)
			FROM starvation_episodes WHERE tree = 'physical' AND to_time > from_time ORDER BY ALL`)},
		"findings": {slicesOf(trace, "findings"), lines(`
			SELECT epoch_us(from_time) || ' ' || epoch_us(to_time) || ' ' || CASE subject_kind WHEN 'node' THEN 'tree ' || tree ELSE subject_kind || ' ' || subject END
			FROM findings WHERE tree = 'physical' AND to_time > from_time ORDER BY ALL`)},
		"preemptions": {flowsOf(trace), lines(`
			SELECT epoch_us(time) || ' ' || 'operation ' || beneficiary || ' preempts job ' || job || ', operation ' || operation || ' job ' || job || ' preempted'
			FROM preemptions WHERE tree = 'physical' AND beneficiary IS NOT NULL ORDER BY ALL`)},
		"configurations": {instantsOf(trace, "configuration: "), lines(`
			SELECT epoch_us(b.from_time) || ' pool ' || b.pool || ' weight from ' || a.weight::INT || ' to ' || b.weight::INT
			FROM pool_versions AS a JOIN pool_versions AS b ON b.tree = a.tree AND b.pool = a.pool AND b.from_time = a.to_time WHERE a.tree = 'physical' AND a.weight <> b.weight ORDER BY ALL`)},
		"nodes": {[]string{fmt.Sprint(nodesAtLast(trace))}, lines("SELECT count(*)::VARCHAR FROM nodes WHERE tree = 'physical' AND clipped_to")},
	} {
		t.Run(what, func(t *testing.T) {
			if len(compare.want) == 0 {
				t.Error("the run has none")
			}
			if !slices.Equal(compare.got, compare.want) {
				t.Errorf("%d, want %d; first that differ: %s", len(compare.got), len(compare.want), firstApart(compare.got, compare.want))
			}
		})
	}
}

// firstApart is the first place where two lists are not the same.
func firstApart(got, want []string) string {
	for i := range max(len(got), len(want)) {
		var a, b string
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			return fmt.Sprintf("got %q, want %q", a, b)
		}
	}
	return ""
}

// steps are the values that a column of intervals takes in the elements of tree physical,
// without those that repeat the one before, and 0 where an element goes away before the
// end. A guarantee of nothing is no beginning.
func steps(t *testing.T, db *audit.Database, column string) (all []string) {
	keys, numbers := commandtest.RowsOf(t, db, 1, `
WITH intervals AS (
  SELECT 'operation ' || operation AS element, from_time, to_time, `+column+` AS value FROM operation_intervals WHERE tree = 'physical'
  UNION ALL SELECT CASE pool WHEN '<Root>' THEN 'tree physical' ELSE 'pool ' || pool END, from_time, to_time, `+column+` FROM pool_intervals WHERE tree = 'physical'
)
SELECT element, epoch_us(from_time)::DOUBLE, epoch_us(to_time)::DOUBLE, value, (SELECT max(epoch_us(to_time)) FROM trees)::DOUBLE FROM intervals WHERE to_time > from_time ORDER BY element, from_time`)
	last, value := map[string]float64{}, map[string]float64{}
	step := func(element string, at, to float64) {
		was, there := value[element]
		if there && was == to || !there && to == 0 && column == "min_share_ratio" {
			return
		}
		value[element] = to
		all = append(all, fmt.Sprintf("%s %.0f %v", element, at, to))
	}
	for i, n := range numbers {
		element, begin, end := keys[i], n[0], n[1]
		if gone, there := last[element]; there && gone != begin {
			step(element, gone, 0)
		}
		step(element, begin, n[2])
		last[element] = end
		if next := i + 1; end < n[3] && (next == len(keys) || keys[next] != element) {
			step(element, end, 0)
		}
	}
	slices.Sort(all)
	return all
}

// stepsOf are the values of the counters of a name.
func stepsOf(trace *perfettotest.Trace, name string) (all []string) {
	for _, e := range trace.Events {
		if is := trace.Tracks[e.Track]; is.IsCounter && is.Name == name {
			all = append(all, fmt.Sprintf("%s %d %v", trace.Tracks[is.Parent].Name, e.At/1000, e.Value))
		}
	}
	slices.Sort(all)
	return all
}

// tracedElements are the paths of trees, pools and operations.
func tracedElements(trace *perfettotest.Trace) (all []string) {
	for id, is := range trace.Tracks {
		if kind, _, _ := strings.Cut(is.Name, " "); kind == "tree" || kind == "pool" || kind == "operation" {
			all = append(all, trace.Path(id))
		}
	}
	slices.Sort(all)
	return all
}

// slicesOf are the slices on the lanes of a name, which lie apart on each of them.
func slicesOf(trace *perfettotest.Trace, lane string) (all []string) {
	open := map[uint64]uint64{}
	for _, e := range trace.Events {
		is := trace.Tracks[e.Track]
		if is.Name != lane {
			continue
		}
		begin, isOpen := open[e.Track]
		switch {
		case e.Type == perfettotest.Begin && !isOpen:
			open[e.Track] = e.At
		case e.Type == perfettotest.End && isOpen:
			delete(open, e.Track)
			all = append(all, fmt.Sprintf("%d %d %s", begin/1000, e.At/1000, trace.Tracks[is.Parent].Name))
		case e.Type != perfettotest.Instant:
			all = append(all, "overlap on "+trace.Path(e.Track))
		}
	}
	slices.Sort(all)
	return all
}

// flowsOf are the arrows, each with both of its ends.
func flowsOf(trace *perfettotest.Trace) (all []string) {
	from := map[uint64]perfettotest.Event{}
	for _, e := range trace.Events {
		if e.From != 0 {
			from[e.From] = e
		}
		if b, there := from[e.Into]; there {
			all = append(all, fmt.Sprintf("%d %s %s, %s %s", e.At/1000, trace.Tracks[b.Track].Name, b.Name, trace.Tracks[e.Track].Name, e.Name))
		}
	}
	slices.Sort(all)
	return all
}

// instantsOf are those whose names begin so.
func instantsOf(trace *perfettotest.Trace, prefix string) (all []string) {
	for _, e := range trace.Events {
		if text, is := strings.CutPrefix(e.Name, prefix); is && e.Type == perfettotest.Instant {
			all = append(all, fmt.Sprintf("%d %s %s", e.At/1000, trace.Tracks[e.Track].Name, text))
		}
	}
	slices.Sort(all)
	return all
}

// nodesAtLast is the last count of nodes.
func nodesAtLast(trace *perfettotest.Trace) (n float64) {
	for _, e := range trace.Events {
		if trace.Tracks[e.Track].Name == "nodes" {
			n = cmp.Or(e.Value, n)
		}
	}
	return n
}
