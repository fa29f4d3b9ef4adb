package openb

import (
	"poolproof/core"
	"poolproof/ingest/joblog"
)

// The codes of problems, beside those of any table.
const (
	codeTimeOrder    = "time_order"     // quarantined: an end before a start, a start before the creation
	codeDuplicate    = "duplicate_node" // quarantined: a node that is there already
	codeDuplicatePod = "duplicate_pod"  // the name of another pod
	codeUnknownPhase = "unknown_phase"  // a phase of no known meaning
)

const maxSeconds = 253_402_300_799 // the end of the year 9999

// timeOf returns a time, absent if the value is empty.
func timeOf(t *joblog.Table, column string, epoch core.Time) core.Optional[core.Time] {
	value := t.Text(column)
	if value == "" {
		return core.Optional[core.Time]{}
	}
	n, fraction, ok := joblog.Decimal([]byte(value))
	switch {
	case !ok || n < 0 || fraction < 0:
		t.Quarantine(column, joblog.CodeBadNumber, value)
	case n > maxSeconds:
		t.Quarantine(column, joblog.CodeOutOfRange, value)
	}
	return core.Some(epoch + core.Time(n)*core.Second + core.Time(fraction))
}
