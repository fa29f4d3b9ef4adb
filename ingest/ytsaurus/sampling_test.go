package ytsaurus_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/ytsaurus"
)

// TestANodeThatSamplesLackIsUnknown has samples of nodes a and b each ten seconds, of which some do not have a, and a
// job that shows that it serves.
func TestANodeThatSamplesLackIsUnknown(t *testing.T) {
	const limits = `"resource_limits":{"user_slots":1,"cpu":1.0,"gpu":0,"user_memory":1,"network":0},"resource_usage":{}`
	row := func(second float64, event, rest string) []byte {
		return fmt.Appendf(nil, `{"timestamp":"2025-03-03T08:00:%09.6fZ","event_type":%q,%s}`, second, event, rest)
	}
	for _, c := range []struct {
		name  string
		has   string // by sample: . a is described, - is not there, x has unreadable amounts, t no tags, c no cpu, o other tags
		job   string // its seconds, and how it ended
		want  string // the states of a: online, off, unknown (and online) or doubtful (nothing shows whether it is)
		noted bool
	}{
		{"described throughout", "....", "5 15 completed", "0:online", false},
		{"never named", "----", "5 15 completed", "0:unknown", true},
		{"never named, and idle", "----", "", "", false},
		{"never readable", "xxxx", "", "0:unknown", true},
		{"named late, though it served", "--..", "5 7 completed", "0:unknown 20:online", true},
		{"new", "--..", "15 25 completed", "0:doubtful 15:online", false},
		{"new, and idle", "--..", "", "0:doubtful 20:online", false},
		{"readable late", "xx..", "", "0:unknown 20:online", true},
		{"not readable once", "x...", "", "0:online", false},
		{"named early, though it served", "..--", "25 28 completed", "0:online 20:unknown", true},
		{"named early, and its job ran on", "..--", "15 28 completed", "0:online 20:unknown", true},
		{"gone with its job", "..--", "15 19 aborted", "0:online 20:doubtful", false},
		{"readable early", "..xx", "", "0:online 20:unknown", true},
		{"no tags late", "..tt", "", "0:online 20:unknown", true},
		{"no cores late", "..cc", "", "0:online 20:unknown", true},
		{"not there for a while", ".--.", "", "0:online", false},
		{"other tags after a while, though it served", ".--o", "12 15 completed", "0:online 10:unknown 30:online", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := [][]byte{
				row(0, "operation_started", `"operation_id":"1-2-3e8-4","operation_type":"map","authenticated_user":"u","spec":{"pool":"p"},"scheduling_info_per_tree":{"main":{"pool":"p"}}`),
				row(39, "operation_completed", `"operation_id":"1-2-3e8-4","operation_type":"map","start_time":"2025-03-03T08:00:00.000000Z","finish_time":"2025-03-03T08:00:39.000000Z"`),
			}
			for i, has := range c.has {
				tagged := limits + `,"tags":["m"]`
				nodes := `"b":{` + tagged + `}`
				switch has {
				case '.':
					nodes += `,"a":{` + tagged + `}`
				case 'o':
					nodes += `,"a":{` + limits + `,"tags":["m","n"]}`
				case 't':
					nodes += `,"a":{` + limits + `}`
				case 'x':
					nodes += `,"a":{` + strings.Replace(tagged, "1.0", "-1", 1) + `}`
				case 'c':
					nodes += `,"a":{` + strings.Replace(tagged, `"cpu":1.0,`, "", 1) + `}`
				}
				rows = append(rows, row(float64(10*i), "nodes_info", `"tree_id":"main","nodes":{`+nodes+`}`))
			}
			if c.job != "" {
				var from, to float64
				var end string
				fmt.Sscan(c.job, &from, &to, &end)
				job := `"job_id":"1-2-3e80384-5","operation_id":"1-2-3e8-4","tree_id":"main","node_address":"a","resource_limits":{"user_slots":1,"cpu":1.0,"gpu":0,"user_memory":1,"network":0}`
				rows = append(rows, row(from, "job_started", job),
					row(to, "job_"+end, job+fmt.Sprintf(`,"start_time":"2025-03-03T08:00:%09.6fZ","finish_time":"2025-03-03T08:00:%09.6fZ"`, from, to)))
			}
			dir := t.TempDir()
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(dir, "log.json"), rows)}, Out: filepath.Join(dir, "trace")})
			tr := joblogtest.Read(t, got.dir)
			var states []string
			for _, s := range tr.Trees[0].NodeStates {
				if tr.Nodes[s.Node].Address != "a" {
					continue
				}
				what := map[[2]bool]string{{true, false}: "online", {false, false}: "off", {true, true}: "unknown", {false, true}: "doubtful"}[[2]bool{s.Online, s.Undescribed.Value}]
				states = append(states, fmt.Sprintf("%g:%s", float64(s.Time-at(t, "2025-03-03T08:00:00Z"))/1e6, what))
			}
			if text := strings.Join(states, " "); text != c.want {
				t.Errorf("node a is %s, want %s", text, c.want)
			}
			if n := got.manifest(t).Quarantined["node_not_described"]; (n > 0) != c.noted {
				t.Errorf("%d problems tell of it, want any: %v", n, c.noted)
			}
		})
	}
}
