package audit

import (
	"testing"
	"time"

	"poolproof/replay/tables"
)

// TestALossUnderminesWhatIsFoundInItsTime: a finding is undecidable if rows of its tree are missing
// while it lasted, and if what its audit reads follows from them.
func TestALossUnderminesWhatIsFoundInItsTime(t *testing.T) {
	at := func(minute int) *time.Time {
		moment := time.Date(2025, 3, 3, 8, minute, 0, 0, time.UTC)
		return &moment
	}
	m := &manifest{LostRows: []tables.LostRows{
		{Tree: "a", Table: "heartbeats", Codes: []string{"null_value"}, Rows: 1, From: "2025-03-03T08:10:00Z", To: "2025-03-03T08:11:00Z"},
		{Tree: "b", Table: "jobs", Codes: []string{"bad_number", "null_value"}, Rows: 4, From: "2025-03-03T08:10:00Z"},
		{Tree: "c", Table: "op_events", Codes: []string{"null_value"}, Rows: 2},
	}}
	usage, configured, problems := []string{"pool_intervals", "trees"}, []string{"configuration_faults", "trees"}, []string{"problems"}
	for _, c := range []struct {
		name     string
		tree     string
		from, to *time.Time
		reads    []string
		want     string
	}{
		{"before the loss", "a", at(1), at(9), usage, ""},
		{"across it", "a", at(9), at(20), usage, "1 row of heartbeats of tree a was left out (null_value)"},
		{"after it", "a", at(12), at(13), usage, ""},
		{"another tree", "d", at(9), at(20), usage, ""},
		{"what a job does goes on", "b", at(50), at(51), usage, "4 rows of jobs of tree b were left out (bad_number, null_value)"},
		{"before a job", "b", at(1), at(9), usage, ""},
		{"a row of no time", "c", at(1), at(2), usage, "2 rows of op_events of tree c were left out (null_value)"},
		{"a finding of no time", "a", nil, nil, usage, "1 row of heartbeats of tree a was left out (null_value)"},
		{"jobs configure nothing", "b", at(50), at(51), configured, ""},
		{"what is said of the trace itself", "b", at(50), at(51), problems, ""},
	} {
		f := &Finding{Tree: c.tree, From: c.from, To: c.to}
		if got := undermines(lossesOf(m.LostRows), &Audit{Reads: c.reads}, f); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
