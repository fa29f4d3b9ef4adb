package command

import (
	"slices"
	"testing"

	"poolproof/audit"
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
