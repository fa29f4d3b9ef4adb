package report

import "fmt"

// shownOpen bounds the number of open episodes that are named.
const shownOpen = 5

// openLines name the episodes that an end of the window cuts while they may still break a promise.
func (s *summary) openLines() (lines []string) {
	named := s.Named()
	for _, e := range named[:min(len(named), shownOpen)] {
		lines = append(lines, fmt.Sprintf("Open at the %s of the window: %s", e.Cut, e.Text))
	}
	if more := len(named) - shownOpen; more > 0 {
		others := count(more, "other open episode", "other open episodes")
		lines = append(lines, fmt.Sprintf("And %s: findings.json has all as open_episodes.", others))
	}
	return lines
}
