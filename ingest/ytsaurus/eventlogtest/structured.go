package eventlogtest

import (
	"fmt"
	"time"
)

// Lines of others stand between those of the event log: one first, and then after
// every so many.
const foreignEvery = 50

// localZone is that of the hosts whose log files these are: instant is local time
// (ingest/trace/FORMAT.md §1.1).
var localZone = time.FixedZone("", 3*60*60)

// writeStructured writes rows to the log file of their process, in order of time.
func (o *output) writeStructured(process int, rows []Value) error {
	f := o.files[process]
	for i := range rows {
		v := &rows[i]
		at, err := time.Parse(time.RFC3339, v.items[0].text)
		if err != nil {
			return fmt.Errorf("write structured log: %w", err)
		}
		if o.lines[process]%foreignEvery == 0 {
			if err := o.writeForeign(f, process, at); err != nil {
				return err
			}
		}
		o.lines[process]++
		o.stamp(v, at, o.category(process, v.items[1].text))
		if err := f.row(v); err != nil {
			return err
		}
	}
	return nil
}

// stamp adds what a structured log adds to every record.
func (o *output) stamp(v *Value, at time.Time, category string) {
	v.put("instant", textOf(at.In(localZone).Format("2006-01-02 15:04:05,000000")))
	v.put("level", textOf("info"))
	v.put("category", textOf(category))
}

// category returns the category of an event. In 2020 each process had one.
func (o *output) category(process int, event string) string {
	if process != scheduler {
		return "ControllerEventLog"
	}
	switch event {
	case "fair_share_info", "nodes_info", "cluster_info", "pools_info":
		return "SchedulerEventLog"
	}
	if o.o.Age.old() {
		return "SchedulerEventLog"
	}
	return "SchedulerStructuredLog"
}

// writeForeign writes a line that is no event: in JSON sometimes no record at all,
// else one of resource metering, which has no event_type.
func (o *output) writeForeign(f *file, process int, at time.Time) error {
	if n := o.lines[process] / foreignEvery; o.o.Form == JSONL && n%2 == 0 {
		return f.line(fmt.Sprintf("%s\tI\tLogging\tLogging thread is alive (Iteration: %d)\tmain\n", at.In(localZone).Format("2006-01-02 15:04:05,000000"), n))
	}
	v := newMap(8)
	v.put("schema", textOf("yt.scheduler.pools.compute.v1"))
	v.put("id", textOf("physical:prod:"+fmt.Sprint(at.Unix())))
	v.put("abc_id", intOf(1))
	usage := newMap(4)
	usage.put("quantity", intOf(60000))
	usage.put("unit", textOf("milliseconds"))
	usage.put("start", intOf(at.Unix()-60))
	usage.put("finish", intOf(at.Unix()))
	v.put("usage", usage)
	o.stamp(&v, at, "SchedulerResourceMetering")
	return f.row(&v)
}
