package tables

import "poolproof/core"

// A SegmentMove is the row of a node that was given another scheduling segment, with how the
// segment that it went to had fared. No log records that people moved it.
type SegmentMove struct {
	Time     core.Time                `col:"time" unit:"time" doc:"when the node's segment changed"`
	Node     core.NodeID              `col:"node" doc:"address of the node"`
	From     string                   `col:"from_segment" doc:"segment that the node left"`
	To       string                   `col:"to_segment" doc:"segment that it went to"`
	Module   string                   `col:"module" doc:"module of the node: its data center or InfiniBand cluster; empty if not recorded"`
	Wanting  core.Optional[core.Time] `col:"wanting_since" unit:"time" doc:"since when the segment that it went to, or its part in the node's module, had fewer devices than its operations' fair shares; null if it had enough"`
	Timeout  int64                    `col:"timeout_us" unit:"µs" doc:"how long it lacks devices before it is given nodes"`
	Verdict  string                   `col:"verdict" words:"verdict" doc:"ok, undecidable, excused or suspect"`
	Judged   string                   `col:"judged" words:"judged" doc:"how the evidence was come by: possible, since people may have moved the node"`
	Excuse   string                   `col:"excuse" doc:"what excuses it; empty unless excused"`
	Missing  string                   `col:"missing" doc:"input that the check lacks, of a suspect one for certainty; empty of others"`
	Sentence string                   `col:"sentence" doc:"the check and its outcome, as a sentence"`
}
