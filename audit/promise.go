package audit

// A Grade says what became of a promise.
type Grade string

// The grades, the worst first.
const (
	Broken       Grade = "broken"       // a violated finding says so
	Impossible   Grade = "impossible"   // the configuration could not keep it, whatever the scheduler did
	Unverifiable Grade = "unverifiable" // the log or the audits cannot tell; Missing says what would
	Vacuous      Grade = "vacuous"      // nothing ever tested it: no demand, no jobs, no operations
	Kept         Grade = "kept"         // tested, judged and not broken
)

// Grades are all grades, the worst first.
var Grades = []Grade{Broken, Impossible, Unverifiable, Vacuous, Kept}

// A Promise is one checkable statement of the configuration in force. A default
// is none.
type Promise struct {
	ID          string   `json:"promise_id"` // of tree, kind and subject: the same every night
	Tree        string   `json:"tree"`
	Kind        string   `json:"kind"`         // strong_guarantee, max_running_operation_count, ...
	SubjectKind string   `json:"subject_kind"` // pool, operation or tree
	Subject     string   `json:"subject"`
	Path        string   `json:"path"`      // of the pool; empty for others
	Statement   string   `json:"statement"` // what is promised, as a sentence
	Grade       Grade    `json:"grade"`
	Reason      string   `json:"reason"`      // why this grade
	Missing     string   `json:"missing"`     // what would make it verifiable; empty unless unverifiable
	FindingIDs  []string `json:"finding_ids"` // of the findings about it, the worst first
}

// A TreeCoverage says how much of a tree's time and decisions could be judged.
type TreeCoverage struct {
	Tree            string  `json:"tree"`
	Seconds         float64 `json:"seconds"`          // of the window
	JudgedSeconds   float64 `json:"judged_seconds"`   // in which shares were current and all inputs known
	Decisions       int64   `json:"decisions"`        // that the log records: starts and preemptions
	JudgedDecisions int64   `json:"judged_decisions"` // not undecidable
	Reason          string  `json:"reason"`           // what is missing; empty if nothing is
}

// Time is the share of the window that could be judged, 0 to 1.
func (c TreeCoverage) Time() float64 { return part(c.JudgedSeconds, c.Seconds) }

// DecisionShare is the share of the decisions that could be judged, 0 to 1; of
// none, none was.
func (c TreeCoverage) DecisionShare() float64 {
	return part(float64(c.JudgedDecisions), float64(c.Decisions))
}

// part is a fraction of a whole; 0 of nothing.
func part(x, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return x / whole
}
