package eventlogtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"poolproof/core"
)

// nodeLag is how long after its controller produced a job its node began with it.
const nodeLag = 300 * time.Millisecond

// Archive returns what the operations archive of a cluster holds of a log, as JSON lines:
// the table ordered_by_id, which has operations that are over, and the table jobs. Rows
// are JSON lines of the log. Of jobs the newest archives have the controller's times
// beside the node's.
func Archive(lines [][]byte, newest bool) (operations, jobs [][]byte, err error) {
	all, err := rowsOf(lines)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(micros(a["timestamp"]), micros(b["timestamp"])) })
	ofOperation, ofJob := row{}, row{}
	for _, r := range all {
		event, _ := r["event_type"].(string)
		if event, ok := strings.CutPrefix(event, "operation_"); ok {
			archiveOperation(ofOperation.at(r["operation_id"]), r, event)
		} else if event, ok := strings.CutPrefix(event, "job_"); ok {
			archiveJob(ofJob.at(r["job_id"]), r, event, newest)
		}
	}
	maps.DeleteFunc(ofOperation, func(_ string, o any) bool { return o.(row)["finish_time"] == nil })
	if operations, err = linesOf(ofOperation); err != nil {
		return nil, nil, err
	}
	jobs, err = linesOf(ofJob)
	return operations, jobs, err
}

func rowsOf(lines [][]byte) (rows []row, err error) {
	for _, line := range lines {
		var r row
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&r); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// at returns the row of a name, which it adds.
func (r row) at(name any) row {
	key, _ := name.(string)
	if r[key] == nil {
		r[key] = row{}
	}
	return r[key].(row)
}

func linesOf(rows row) (lines [][]byte, err error) {
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		line, err := json.Marshal(rows[id])
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func archiveOperation(o, r row, event string) {
	putID(o, "id", r["operation_id"])
	events, _ := o["events"].([]any)
	addEvent := func(state string, at int64) {
		events = append(events, row{"state": state, "time": Age2023.of(core.Time(at)).text, "attributes": row{}})
		o["events"] = events
	}
	switch now := micros(r["timestamp"]); event {
	case "prepared":
		addEvent("pending", now)
	case "materialized":
		// It was materializing as soon as it was prepared or, if that is long before, when it got a place.
		since := now - time.Second.Microseconds()
		if i := slices.IndexFunc(events, func(e any) bool { return e.(row)["state"] == "pending" }); i >= 0 {
			if prepared := micros(events[i].(row)["time"]); now-prepared < 4*time.Second.Microseconds() {
				since = min(prepared+10_000, now)
			}
		}
		addEvent("materializing", since)
		addEvent("running", now)
	case "completed", "failed", "aborted":
		o["state"], o["start_time"], o["finish_time"] = event, micros(r["start_time"]), micros(r["finish_time"])
		for _, column := range []string{"operation_type", "authenticated_user", "spec", "runtime_parameters"} {
			o[column] = r[column]
		}
		o["result"] = row{"error": r["error"]}
	}
}

func archiveJob(j, r row, event string, newest bool) {
	putID(j, "job_id", r["job_id"])
	putID(j, "operation_id", r["operation_id"])
	j["type"], j["address"], j["pool_tree"] = r["job_type"], r["node_address"], r["tree_id"]
	if event == "started" {
		if j["state"] == nil {
			j["state"], j["start_time"] = "running", micros(r["timestamp"])-nodeLag.Microseconds()
		}
		return
	}
	start, finish := micros(r["start_time"]), micros(r["finish_time"])
	j["state"], j["finish_time"], j["start_time"] = event, finish, min(start+nodeLag.Microseconds(), finish)
	if newest {
		j["controller_start_time"], j["controller_finish_time"] = start, finish
	}
	j["job_competition_id"], j["probing_job_competition_id"] = r["job_competition_id"], r["probing_job_competition_id"]
	if r["reason"] == nil {
		return
	}
	attributes := row{"abort_reason": r["reason"]}
	if preemptor, ok := r["preempted_for"].(map[string]any); ok {
		attributes["preemption_reason"] = "Preempted to start a job"
		if newest {
			j["interruption_info"] = row{"interruption_reason": "preemption", "preempted_for": row{
				"allocation_id": preemptor["job_id"], "operation_id": preemptor["operation_id"]}}
		}
	}
	j["error"] = row{"code": 1, "message": "Job aborted", "attributes": attributes}
}

func micros(t any) int64 {
	text, _ := t.(string)
	parsed, _ := time.Parse(time.RFC3339Nano, text)
	return parsed.UnixMicro()
}

// putID writes an id as the archive does, in two columns (ingest/trace/FORMAT.md §1.2).
func putID(r row, column string, id any) {
	text, _ := id.(string)
	var words [4]uint64
	for i, word := range strings.SplitN(text, "-", 4) {
		words[i], _ = strconv.ParseUint(word, 16, 32)
	}
	r[column+"_hi"], r[column+"_lo"] = words[2]<<32|words[3], words[0]<<32|words[1]
}

// Dumps returns dumps of the scheduler's Orchid at the moments of a log's snapshots and samples of
// nodes, one document for each.
func Dumps(lines [][]byte) (dumps [][]byte, err error) {
	all, err := rowsOf(lines)
	if err != nil {
		return nil, err
	}
	byTime := row{}
	copyPart := func(to, from row, part string) {
		elements, _ := from[part].(map[string]any)
		maps.Copy(to.at(part), elements)
	}
	for _, r := range all {
		event := r["event_type"]
		if event != "fair_share_info" && event != "nodes_info" {
			continue
		}
		dump := byTime.at(r["timestamp"])
		dump["timestamp"] = r["timestamp"]
		if event == "nodes_info" {
			copyPart(dump, r, "nodes")
			continue
		}
		for _, part := range []string{"pools", "operations", "resource_distribution_info"} {
			copyPart(dump.at("pool_trees").at(r["tree_id"]), r, part)
		}
	}
	return linesOf(byTime)
}
