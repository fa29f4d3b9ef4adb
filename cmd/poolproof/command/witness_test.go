package command

import (
	"slices"
	"testing"

	"poolproof/audit"
	"poolproof/ingest/shrink"
	"poolproof/queries"
)

// TestTheTablesOfRecordsExist: audits read each of the tables that the witness goes by.
func TestTheTablesOfRecordsExist(t *testing.T) {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tablesOfRecords {
		if !slices.ContainsFunc(audits, func(a *audit.Audit) bool { return slices.Contains(a.Reads, table) }) {
			t.Errorf("no audit reads %s", table)
		}
	}
}

// TestTheNoteNamesNoPathOfThisMachine: README.md of a shrunk trace goes with it to others.
func TestTheNoteNamesNoPathOfThisMachine(t *testing.T) {
	t.Parallel()
	w := &witness{file: "/home/anna.k/secret-project/policy.yaml"}
	s := &shrink.Summary{Finding: shrink.Sighting{ID: "abc"}}
	if got, want := w.command(anyTrace, s), "poolproof run TRACE --out run --policy POLICY; poolproof explain run abc"; got != want {
		t.Errorf("the note says %s, want %s", got, want)
	}
	if got := w.command("my trace", s); got != `poolproof run "my trace" --out run --policy `+w.file+"; poolproof explain run abc" {
		t.Errorf("the terminal says %s", got)
	}
}
