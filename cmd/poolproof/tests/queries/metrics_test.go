package queries

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
)

// same compares what a query gives with what was worked out slowly.
func same(t *testing.T, db *audit.Database, texts int, query string, want map[string][]float64) {
	t.Helper()
	keys, got := commandtest.RowsOf(t, db, texts, query)
	if len(keys) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d rows, want %d", query, len(keys), len(want))
	}
	for i, key := range keys {
		if !slices.EqualFunc(got[i], want[key], func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }) {
			t.Errorf("%s: %s: %v, want %v", query, key, got[i], want[key])
		}
	}
}

// TestMetricsOfASmallCluster works metrics out the slow way, span by span and moment by moment.
func TestMetricsOfASmallCluster(t *testing.T) {
	db := commandtest.MadeRun(t, commandtest.SmallCluster)
	fairnessSlowly(t, db)
	utilizationSlowly(t, db)
}

func fairnessSlowly(t *testing.T, db *audit.Database) {
	keys, spans := commandtest.RowsOf(t, db, 3, `SELECT tree, kind, element, a, b, u / 1e9, f / 1e9 FROM (
		SELECT tree, 'pool' AS kind, pool AS element, epoch_us(from_time) AS a, epoch_us(to_time) AS b, usage_ratio_seconds AS u, fair_share_ratio_seconds AS f FROM pool_intervals WHERE pool <> '<Root>'
		UNION ALL SELECT tree, 'operation', operation, epoch_us(from_time), epoch_us(to_time), usage_ratio_seconds, fair_share_ratio_seconds FROM operation_intervals) ORDER BY ALL`)
	fairness, penalties, windowed := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	const window = 200e6
	for i := 0; i < len(keys); {
		j := i
		for j < len(keys) && keys[j] == keys[i] {
			j++
		}
		own := spans[i:j]
		var delay, usage, fair float64
		begins := -1.0
		period := func(to float64) {
			if d := (to - begins) / 1e6; begins >= 0 && d > 10 {
				p := penalties[keys[i]]
				if p == nil {
					p = []float64{0, 0}
				}
				penalties[keys[i]] = []float64{p[0] + 1, p[1] + d*d}
			}
			begins = -1
		}
		for k, s := range own {
			delay, usage, fair = delay+max(0, s[3]-s[2]), usage+s[2], fair+s[3]
			low := s[2] < 0.9*s[3]-1e-12
			if k > 0 && own[k-1][1] != s[0] || !low {
				period(own[max(k-1, 0)][1])
			}
			if low && begins < 0 {
				begins = s[0]
			}
		}
		period(own[len(own)-1][1])
		fairness[keys[i]] = []float64{delay, usage, fair}
		if strings.Contains(keys[i], " pool ") {
			worst := 0.0
			for _, s := range own {
				for _, end := range []float64{s[1], s[0] + window} {
					if end > own[len(own)-1][1] {
						continue
					}
					sum := 0.0
					for _, x := range own {
						if common := min(x[1], end) - max(x[0], end-window); common > 0 {
							sum += max(0, x[3]-x[2]) * common / (x[1] - x[0])
						}
					}
					worst = max(worst, sum)
				}
			}
			windowed[keys[i]] = []float64{worst}
		}
		i = j
	}
	same(t, db, 3, "SELECT tree, element_kind, element, delay, usage, fair_share FROM fairness", fairness)
	same(t, db, 3, "SELECT tree, element_kind, element, periods, penalty FROM penalty(samples := 10)", penalties)
	same(t, db, 3, "SELECT tree, element_kind, element, max(delay) FROM windowed_delay() WHERE element_kind = 'pool' GROUP BY ALL", windowed)
}

// utilizationSlowly looks at cores at every moment at which anything changes, node by node.
func utilizationSlowly(t *testing.T, db *audit.Database) {
	type load struct{ from, to, cpu, slots, memory float64 }
	read := func(query string) (nodes map[string][]load) {
		nodes = map[string][]load{}
		keys, rows := commandtest.RowsOf(t, db, 2, query)
		for i, r := range rows {
			nodes[keys[i]] = append(nodes[keys[i]], load{r[0], r[1], r[2], r[3], r[4]})
		}
		return nodes
	}
	limits := read("SELECT tree, node, epoch_us(from_time), epoch_us(to_time), limit_cpu, limit_user_slots, limit_memory FROM nodes")
	jobs := read(`SELECT j.tree, node, epoch_us(greatest(start_time, from_time)), epoch_us(coalesce(end_time, to_time)), resources_cpu, resources_user_slots, resources_memory
		FROM jobs AS j JOIN trees USING (tree)`)
	idle := read("SELECT tree, node, epoch_us(from_time), epoch_us(to_time), 0, 0, 0 FROM idle_nodes")
	least := read("SELECT tree, '', 0, 0, min(resources_cpu), min(resources_user_slots), min(resources_memory) FROM jobs GROUP BY tree")
	demand := read("SELECT tree, '', epoch_us(from_time), epoch_us(to_time), resource_demand_cpu - resource_usage_cpu, 0, 0 FROM pool_intervals WHERE pool = '<Root>'")
	trees, windows := commandtest.RowsOf(t, db, 1, "SELECT tree, epoch_us(from_time), epoch_us(to_time) FROM trees")
	at := func(loads []load, time float64) (sum load) {
		for _, l := range loads {
			if l.from <= time && time < l.to {
				sum.cpu, sum.slots, sum.memory, sum.to = sum.cpu+l.cpu, sum.slots+l.slots, sum.memory+l.memory, 1
			}
		}
		return sum
	}
	want := map[string][]float64{}
	for i, tree := range trees {
		times := windows[i]
		var nodes []string
		for _, of := range []map[string][]load{limits, jobs, idle, demand} {
			for key, loads := range of {
				if name, _, _ := strings.Cut(key, " "); name == tree {
					nodes = append(nodes, key)
					for _, l := range loads {
						times = append(times, l.from, l.to)
					}
				}
			}
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		slices.Sort(times)
		times = slices.Compact(times)
		sums := make([]float64, 6)
		for k, time := range times[:len(times)-1] {
			if time < windows[i][0] || time >= windows[i][1] {
				continue
			}
			seconds := (times[k+1] - time) / 1e6
			var open, free float64
			for _, node := range nodes {
				has, used, smallest := at(limits[node], time), at(jobs[node], time), least[tree+" "][0]
				left := has.cpu - used.cpu
				sums[0] += has.cpu * seconds
				switch {
				case left < 0 || has.slots < used.slots || has.memory < used.memory:
					continue
				case left < smallest.cpu || has.slots-used.slots < smallest.slots || has.memory-used.memory < smallest.memory:
					sums[2] += left * seconds
				case at(idle[node], time).to > 0:
					free += left
				default:
					open += left
				}
				sums[1] += used.cpu * seconds
			}
			fragmented := min(open, max(0, max(0, at(demand[tree+" "], time).cpu)-free))
			sums[3], sums[4], sums[5] = sums[3]+free*seconds, sums[4]+(open-fragmented)*seconds, sums[5]+fragmented*seconds
		}
		want[tree] = sums
	}
	same(t, db, 1, fmt.Sprintf("SELECT tree, capacity, used, not_schedulable, allocatable, unclaimed, fragmented FROM utilization(bin_s := %d) WHERE resource = 'cpu'", 86400), want)
}
