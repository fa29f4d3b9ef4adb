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

// isDamage reports whether an incident is listed as damage of the log. Suppressed damage is listed
// with everything else that is suppressed.
func (i incident) isDamage() bool { return i.Verdict == audit.Damaged && !i.Suppressed }

// damage returns the incidents of damage to be spelled out, the worst first, and how many
// findings of the others are left over.
func (s *summary) damage() (shown []incident, rest map[audit.Judgement]int) {
	rest = map[audit.Judgement]int{}
	for _, i := range s.incidents {
		switch {
		case !i.isDamage():
		case len(shown) < shownIncidents:
			shown = append(shown, i)
		default:
			rest[audit.Damaged] += len(i.findings)
		}
	}
	return shown, rest
}

// writeDamage says what is damaged in the log, apart from what the scheduler did.
func (s *summary) writeDamage(b *bytes.Buffer, runPath string) {
	shown, rest := s.damage()
	if len(shown) == 0 {
		return
	}
	fmt.Fprintf(b, "\nDamage of the log:\n  %s\n", damageMeans)
	for _, i := range shown {
		fmt.Fprintf(b, "  %s (%s%s, tree %s, finding %s)\n", spelling.OneName(i.text()), i.First().Invariant, i.mark(), spelling.OneName(i.Tree), i.First().ID)
	}
	s.writeLeftOver(b, leftOver(len(shown), rest), askSQL(runPath, "SELECT verdict, subject, reason FROM findings WHERE verdict = 'damaged'"))
}

// markdownDamage writes the contents of writeDamage as a table.
func (s *summary) markdownDamage(b *bytes.Buffer) {
	shown, rest := s.damage()
	if len(shown) > 0 {
		fmt.Fprintf(b, "\n## Damage of the log\n\n%s\n", damageMeans)
		markdownRows(b, shown, rest)
	}
}
