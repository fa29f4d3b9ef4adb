package eventlogtest

import "poolproof/core"

// An Age is a dialect of the log (ingest/trace/FORMAT.md §1.9).
type Age string

// The ages that there are samples of.
const (
	Age2020 Age = "2020"
	Age2023 Age = "2023"
	Age2025 Age = "2025"
)

func (a Age) old() bool    { return a == Age2020 }
func (a Age) newest() bool { return a == Age2025 }

// A Form is how rows are written.
type Form string

// The forms of an event log (ingest/trace/FORMAT.md §1.1, §2).
const (
	JSONL      Form = "jsonl"
	TextYSON   Form = "text.yson"
	BinaryYSON Form = "binary.yson"
	Parquet    Form = "parquet"
)

// Options say as what a trace is written.
type Options struct {
	Age         Age
	Form        Form
	Compression string // "gz", "zst" or "" for none; Parquet has its own and takes ""
	Seed        int64  // of all that a cluster leaves to chance

	// ElementsPerRow is the most pools or operations in a row of fair_share_info,
	// NodesPerRow that of nodes in a row of nodes_info; 0 for the cluster's own,
	// 1000 and 100. Logs of 2020 have no batches.
	ElementsPerRow int
	NodesPerRow    int

	// Clocks are how far the clocks of the controller agents are ahead of the
	// scheduler's. What they write of jobs is by them.
	Clocks [2]core.Time

	// Structured writes the structured log files of each process instead of the
	// table: in order of time, with instant, level and category, and with lines of
	// others between them.
	Structured bool
}

// A Result says what was written.
type Result struct {
	Logs      []string // files of the event log
	PoolTrees string   // export of the pool trees at the first row
	// LaterPoolTrees are exports at the moments when a tree's own configuration
	// changed, which no row of the log records.
	LaterPoolTrees []Export
	Rows           map[string]int64 // by event_type, of all files

	// What the log names otherwise than the trace, from the trace's name to the log's.
	Operations, Jobs, Nodes map[string]string
}

// An Export is a pool-trees export of a moment.
type Export struct {
	Path string
	At   core.Time
}
