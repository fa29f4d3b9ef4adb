package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"poolproof/audit"
)

// csvColumns are the columns of CSV: those of the table findings of run.duckdb.
var csvColumns = []string{
	"finding_id", "fingerprint", "status", "incident_id", "audit", "invariant", "tree", "verdict", "severity",
	"subject_kind", "subject", "aspect", "from_time", "to_time", "magnitude", "unit", "reason", "judged", "evidence",
	"suppressed_by", "suppressed_until", "suppressed_reason",
}

// CSV writes a header and one row per finding, the worst first, then those of
// the baseline that are gone, whose status is "fixed". What is absent is empty;
// the evidence is an object of JSON.
func CSV(w io.Writer, v *audit.Verdict) error {
	c := csv.NewWriter(w)
	c.Write(csvColumns)
	for _, f := range v.Findings {
		c.Write(csvRow(f))
	}
	for _, f := range v.Fixed {
		f.Status = "fixed"
		c.Write(csvRow(f))
	}
	c.Flush()
	return c.Error() // the first error of any of them
}

func csvRow(f audit.Finding) []string {
	var magnitude string
	if f.Magnitude != nil {
		magnitude = strconv.FormatFloat(*f.Magnitude, 'g', -1, 64)
	}
	evidence := bytes.NewBuffer(nil)
	if json.Compact(evidence, f.Evidence) != nil {
		evidence = bytes.NewBuffer(f.Evidence)
	}
	row := []string{
		f.ID, f.Fingerprint, string(f.Status), f.Incident, f.Audit, f.Invariant, f.Tree, string(f.Verdict), string(f.Severity),
		f.SubjectKind, f.Subject, f.Aspect, stamp(f.From), stamp(f.To), magnitude, f.Unit, f.Reason, f.Judged, evidence.String(),
	}
	if f.Suppressed == nil {
		return append(row, "", "", "")
	}
	return append(row, f.Suppressed.Owner, f.Suppressed.Until, f.Suppressed.Reason)
}
