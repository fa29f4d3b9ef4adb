package queries

import (
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/queries"
)

// TestEveryExampleOfSQLAnswers puts the example of every view, macro and table of the verdict
// to a small cluster: each gives rows.
func TestEveryExampleOfSQLAnswers(t *testing.T) {
	db := commandtest.MadeRun(t, commandtest.SmallCluster)
	objects, err := audit.ReadObjects(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	none := map[string]string{"fixed_findings": "there is no baseline", "promises_by_week": "nothing is broken", "recurring_incidents": "nothing is found"}
	asked := 0
	for _, o := range append(objects, audit.VerdictTables()...) {
		for _, example := range o.Examples {
			asked++
			var rows int
			if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM ("+example+")").Scan(&rows); err != nil {
				t.Errorf("%s: %s: %v", o.Name, example, err)
			} else if (rows == 0) != (none[o.Name] != "") {
				t.Errorf("%s: %s: %d rows", o.Name, example, rows)
			}
		}
	}
	if asked < 40 {
		t.Errorf("only %d examples", asked)
	}
}
