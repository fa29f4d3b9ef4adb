package tables

import "poolproof/core"

// LostWork is a span of at least a minute in which an operation lived on after
// preempted jobs of it were aborted, started nothing and asked for nothing; where the
// log names whose work a job begins again, none of them for the jobs of the span.
type LostWork struct {
	Operation core.OperationID `col:"operation" doc:"the operation"`
	Pool      core.PoolID      `col:"pool" doc:"its pool when the job was taken"`
	Job       string           `col:"job" doc:"id of the last job that was aborted; where recorded, of the one that was gone first"`
	Jobs      int64            `col:"aborted_count" unit:"jobs" doc:"jobs aborted so that nothing has started or was asked for since"`
	FromTime  core.Time        `col:"from_time" unit:"time" doc:"when the last of them was aborted; where recorded, when the first of them was gone and the operation asked for nothing"`
	ToTime    core.Time        `col:"to_time" unit:"time" doc:"when it came to an end"`
	Recorded  bool             `col:"recorded" doc:"whether the log names the predecessor of each job that begins work again: then only such a job ends the span, or a request for jobs; else any start does"`
	End       string           `col:"end_cause" doc:"what ended the span: a job of it started, it asked for jobs, was suspended, had to wait for admission, ended or was taken out of the tree, the records that show its demand ended, or the window ended: started, asked, suspended, pending, operation_ended, unrecorded or window_end"`
}
