package report

import (
	"bytes"
	"fmt"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// damageMeans says what damage of the log is, and what it is not.
const damageMeans = "Rows of the log are lost, or contradict each other. That says nothing of the scheduler."

// DamageMeans is said on the page.
func (d *pageData) DamageMeans() string { return damageMeans }

// shownDamage is how many incidents of damage a text spells out.
const shownDamage = 5

// damage are the incidents that are damage of the log, the worst first, without the suppressed ones.
func (s *summary) damage() (all []incident) {
	for _, i := range s.incidents {
		if i.Verdict == audit.Damaged && !i.Suppressed {
			all = append(all, i)
		}
	}
	return all
}

// writeDamage says what is damaged in the log, apart from what the scheduler did.
func (s *summary) writeDamage(b *bytes.Buffer) {
	all := s.damage()
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\nDamage of the log:\n  %s\n", damageMeans)
	for n, i := range all {
		if n == shownDamage {
			fmt.Fprintf(b, "  And %s more.\n", number(int64(len(all)-n)))
			break
		}
		f, more := i.First(), i.MoreOfIt()
		if more != "" {
			more = " " + more
		}
		fmt.Fprintf(b, "  %s%s (%s, tree %s, finding %s)\n", spelling.OneName(f.Reason), more, f.Invariant, spelling.OneName(i.Tree), f.ID)
	}
}

// markdownDamage is what writeDamage says, as a table.
func (s *summary) markdownDamage(b *bytes.Buffer) {
	all := s.damage()
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Damage of the log\n\n%s\n\n| tree | subject | time | finding |\n| --- | --- | --- | --- |\n", damageMeans)
	for n, i := range all {
		if n == shownIncidents {
			fmt.Fprintf(b, "\nAnd %s more: see the table `findings` of the run.\n", number(int64(len(all)-n)))
			break
		}
		f, more := i.First(), i.MoreOfIt()
		if more != "" {
			more = " " + more
		}
		fmt.Fprintf(b, "| %s | %s %s | %s | %s%s (%s) `%s` |\n", cell(i.Tree), i.CauseKind, cell(i.Cause), span(i.From, i.To), cell(f.Reason), cell(more), f.Invariant, f.ID)
	}
}
