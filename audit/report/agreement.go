package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"poolproof/core/quantity"
	"poolproof/core/spelling"
)

// agreement says in one line how far recorded fair shares are from recomputed ones; empty
// where the log records none.
func (s *summary) agreement() string {
	a := s.ShareAgreement
	if a == nil {
		return ""
	}
	lacking := fmt.Sprintf("%s incomplete inputs (mostly: %s)", count(int(a.Lacking), "record has", "records have"), strings.ReplaceAll(a.Missing, "_", " "))
	if a.Records == 0 {
		return "Recorded and recomputed fair shares cannot be compared: " + lacking + "."
	}
	decade, agree := a.Tolerance()
	line := fmt.Sprintf("Recorded and recomputed fair shares agree to 1e%d in %s of %s", decade, percentOf(agree), count(int(a.Records), "record", "records"))
	if agree == 1 {
		line = fmt.Sprintf("Recorded and recomputed fair shares agree to 1e%d in all of %s", decade, count(int(a.Records), "record", "records"))
	}
	if w := a.Worst; a.Differs() {
		line += fmt.Sprintf("; the worst differs by %.2g: %s %s in tree %s at %s", w.Error, w.SubjectKind,
			spelling.OneName(w.Subject), spelling.OneName(w.Tree), w.Time.Format("2006-01-02T15:04:05.999999Z"))
	}
	if a.Lacking > 0 {
		line += "; " + lacking
	}
	return line + "."
}

// deficitAgreement says in one line how far the deficits that operations accumulated are from recomputed ones; empty
// where the log reports none.
func (s *summary) deficitAgreement() string {
	a := s.DeficitAgreement
	if a == nil {
		return ""
	}
	lacking := fmt.Sprintf("%s incomplete inputs (mostly: %s)", count(int(a.Lacking), "report has", "reports have"), strings.ReplaceAll(a.Missing, "_", " "))
	if a.Reports == 0 {
		return "Recorded and recomputed deficits cannot be compared: " + lacking + "."
	}
	agree := "all"
	if a.Within < a.Reports {
		agree = percentOf(float64(a.Within) / float64(a.Reports))
	}
	line := fmt.Sprintf("Recorded and recomputed deficits agree within 1 %% in %s of %s", agree, count(int(a.Reports), "operation-minute", "operation-minutes"))
	if w := a.Worst; a.Within < a.Reports {
		line += fmt.Sprintf("; the worst differs by %s of the fair volume: operation %s in tree %s at %s", percentOf(w.Error),
			spelling.OneName(w.Operation), spelling.OneName(w.Tree), w.Time.Format("2006-01-02T15:04:05.999999Z"))
	}
	if a.Lacking > 0 {
		line += "; " + lacking
	}
	return line + "."
}

// agreements are the lines of both, as far as there are any.
func (s *summary) agreements() (lines []string) {
	return slices.DeleteFunc([]string{s.agreement(), s.deficitAgreement()}, func(line string) bool { return line == "" })
}

// percentOf is a part of a whole, cut to a tenth of a percent: 100 % is all.
func percentOf(part float64) string { return quantity.Number(math.Floor(1000*part)/10, 1) + " %" }
