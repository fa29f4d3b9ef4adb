package eventlogtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// nodeLag is how long after its controller produced a job its node began with it.
const nodeLag = 300 * time.Millisecond

// An archiveRow is a row of the operations archive, or a row that it is made of.
type archiveRow map[string]any

// Archive returns what the operations archive of a cluster holds of a log, as JSON lines:
// the table ordered_by_id, which has operations that are over, and the table jobs. Rows
// are JSON lines of the log. Of jobs the newest archives have the controller's times
// beside the node's.
func Archive(rows [][]byte, newest bool) (operations, jobs [][]byte, err error) {
	ofOperation, ofJob := map[string]archiveRow{}, map[string]archiveRow{}
	var all []archiveRow
	for _, line := range rows {
		row, err := readRow(line)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, row)
	}
	slices.SortStableFunc(all, func(a, b archiveRow) int { return cmp.Compare(micros(a["timestamp"]), micros(b["timestamp"])) })
	for _, row := range all {
		event, _ := row["event_type"].(string)
		switch {
		case strings.HasPrefix(event, "operation_"):
			archiveOperation(at(ofOperation, row["operation_id"]), row, strings.TrimPrefix(event, "operation_"))
		case strings.HasPrefix(event, "job_"):
			archiveJob(at(ofJob, row["job_id"]), row, strings.TrimPrefix(event, "job_"), newest)
		}
	}
	for id, o := range ofOperation {
		if o["finish_time"] == nil {
			delete(ofOperation, id)
		}
	}
	if operations, err = linesOf(ofOperation); err != nil {
		return nil, nil, err
	}
	jobs, err = linesOf(ofJob)
	return operations, jobs, err
}

func readRow(line []byte) (archiveRow, error) {
	var row archiveRow
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		return nil, fmt.Errorf("read row: %w", err)
	}
	return row, nil
}

func at(all map[string]archiveRow, id any) archiveRow {
	name, _ := id.(string)
	if all[name] == nil {
		all[name] = archiveRow{}
	}
	return all[name]
}

func linesOf(rows map[string]archiveRow) (lines [][]byte, err error) {
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		line, err := json.Marshal(rows[id])
		if err != nil {
			return nil, fmt.Errorf("write row: %w", err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func archiveOperation(o, row archiveRow, event string) {
	putID(o, "id", row["operation_id"])
	happened := func(state string, at int64) {
		events, _ := o["events"].([]any)
		o["events"] = append(events, archiveRow{"state": state, "time": time.UnixMicro(at).UTC().Format("2006-01-02T15:04:05.000000Z"), "attributes": archiveRow{}})
	}
	switch now := micros(row["timestamp"]); event {
	case "prepared":
		happened("pending", now)
	case "materialized":
		happened("materializing", materializingSince(o, now))
		happened("running", now)
	case "completed", "failed", "aborted":
		o["state"], o["start_time"], o["finish_time"] = event, micros(row["start_time"]), micros(row["finish_time"])
		for _, column := range []string{"operation_type", "authenticated_user", "spec", "runtime_parameters"} {
			o[column] = row[column]
		}
		o["result"] = archiveRow{"error": row["error"]}
	}
}

// materializingSince is when an operation began to be materialized that was at a moment:
// as soon as it was prepared or, if that is long before, when it got a place.
func materializingSince(o archiveRow, materialized int64) int64 {
	events, _ := o["events"].([]any)
	for _, e := range events {
		prepared, _ := e.(archiveRow)
		if now := micros(prepared["time"]); prepared["state"] == "pending" && materialized-now < 4*time.Second.Microseconds() {
			return min(now+10_000, materialized)
		}
	}
	return materialized - time.Second.Microseconds()
}

func archiveJob(j, row archiveRow, event string, newest bool) {
	putID(j, "job_id", row["job_id"])
	putID(j, "operation_id", row["operation_id"])
	j["type"], j["address"], j["pool_tree"] = row["job_type"], row["node_address"], row["tree_id"]
	if event == "started" {
		if j["state"] == nil {
			j["state"], j["start_time"] = "running", micros(row["timestamp"])-nodeLag.Microseconds()
		}
		return
	}
	start, finish := micros(row["start_time"]), micros(row["finish_time"])
	j["state"], j["finish_time"], j["start_time"] = event, finish, min(start+nodeLag.Microseconds(), finish)
	if newest {
		j["controller_start_time"], j["controller_finish_time"] = start, finish
	}
	j["job_competition_id"], j["probing_job_competition_id"] = row["job_competition_id"], row["probing_job_competition_id"]
	if row["reason"] == nil {
		return
	}
	attributes := archiveRow{"abort_reason": row["reason"]}
	if row["preempted_for"] != nil {
		attributes["preemption_reason"] = "Preempted to start a job"
		if newest {
			preemptor, _ := row["preempted_for"].(map[string]any)
			j["interruption_info"] = archiveRow{"interruption_reason": "preemption", "preempted_for": archiveRow{
				"allocation_id": preemptor["job_id"], "operation_id": preemptor["operation_id"]}}
		}
	}
	j["error"] = archiveRow{"code": 1, "message": "Job aborted", "attributes": attributes}
}

func micros(t any) int64 {
	text, _ := t.(string)
	parsed, _ := time.Parse(time.RFC3339Nano, text)
	return parsed.UnixMicro()
}

// putID writes an id as the archive does, in two columns (ingest/trace/FORMAT.md §1.2).
func putID(row archiveRow, column string, id any) {
	text, _ := id.(string)
	var words [4]uint64
	for i, word := range strings.SplitN(text, "-", 4) {
		words[i], _ = strconv.ParseUint(word, 16, 32)
	}
	row[column+"_hi"], row[column+"_lo"] = words[2]<<32|words[3], words[0]<<32|words[1]
}

// Dumps returns what somebody would have dumped from the scheduler's Orchid at the moments
// of a log's snapshots, one document for each, and at those of its samples of nodes.
func Dumps(rows [][]byte) (dumps [][]byte, err error) {
	byTime := map[string]archiveRow{}
	for _, line := range rows {
		row, err := readRow(line)
		if err != nil {
			return nil, err
		}
		dump := func() archiveRow {
			d := at(byTime, row["timestamp"])
			d["timestamp"] = row["timestamp"]
			return d
		}
		switch row["event_type"] {
		case "fair_share_info":
			trees := below(dump(), "pool_trees")
			tree, _ := row["tree_id"].(string)
			into := below(trees, tree)
			for _, part := range []string{"pools", "operations", "resource_distribution_info"} {
				elements, _ := row[part].(map[string]any)
				maps.Copy(below(into, part), elements)
			}
		case "nodes_info":
			elements, _ := row["nodes"].(map[string]any)
			maps.Copy(below(dump(), "nodes"), elements)
		}
	}
	return linesOf(byTime)
}

func below(row archiveRow, name string) archiveRow {
	found, ok := row[name].(archiveRow)
	if !ok {
		found = archiveRow{}
		row[name] = found
	}
	return found
}
