package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

func TestSites(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(s *JobPlacement)
		invariant Invariant
		verdict   Verdict
	}{
		"starts on the tree's own node":             {func(*JobPlacement) {}, TREE03, OK},
		"starts on a node of nobody's filter":       {func(s *JobPlacement) { s.OwnNode = No }, TREE03, Violated},
		"starts where the tags moved just now":      {func(s *JobPlacement) { s.OwnNode, s.Changed = No, 80*second }, TREE03, Suspect},
		"starts where the tags moved before":        {func(s *JobPlacement) { s.OwnNode, s.Changed = No, 70*second }, TREE03, Violated},
		"starts on a node without known tags":       {func(s *JobPlacement) { s.OwnNode = Unknown }, TREE03, Undecidable},
		"starts where its filters match":            {func(*JobPlacement) {}, TREE11, OK},
		"starts where a filter does not match":      {func(s *JobPlacement) { s.Admitted = No }, TREE11, Violated},
		"starts where one did just now":             {func(s *JobPlacement) { s.Admitted, s.Changed = No, 90*second }, TREE11, Suspect},
		"starts in a tree of its own":               {func(*JobPlacement) {}, TREE05, OK},
		"starts in a tree that it lost":             {func(s *JobPlacement) { s.Gone = 50 * second }, TREE05, Violated},
		"starts in a tree that it is just losing":   {func(s *JobPlacement) { s.Gone = 95 * second }, TREE05, Suspect},
		"starts in a tree that banned it":           {func(s *JobPlacement) { s.Gone, s.Banned = 50*second, true }, TREE09, Violated},
		"starts in a tree that is just banning it":  {func(s *JobPlacement) { s.Gone, s.Banned = 95*second, true }, TREE09, Suspect},
		"starts in a tree while nothing is alleged": {func(s *JobPlacement) { s.Gone, s.Excuse = 50*second, Reconnecting }, TREE05, Excused},
	} {
		t.Run(name, func(t *testing.T) {
			s := JobPlacement{Context: plainContext(), At: 100 * second, OwnNode: Yes, Admitted: Yes, Changed: scheduling.Never, Gone: scheduling.Never}
			c.change(&s)
			expect(t, s.Judge(nil), c.invariant, c.verdict)
		})
	}
}
