package judge

import (
	"testing"
)

func TestListRecords(t *testing.T) {
	cut := JobCounts{5, 3, 4}
	for name, c := range map[string]struct {
		recorded JobCounts
		changed  bool
		LST01    Verdict
		LST04    Verdict
	}{
		"as they are cut":                           {cut, false, OK, OK},
		"one too many preemptible":                  {JobCounts{5, 2, 5}, false, Suspect, OK},
		"too few preemptible":                       {JobCounts{5, 5, 2}, false, Violated, OK},
		"too few preemptible, of a changing list":   {JobCounts{5, 5, 2}, true, Suspect, OK},
		"too few protected":                         {JobCounts{2, 6, 4}, false, Violated, OK},
		"one too many protected":                    {JobCounts{6, 2, 4}, false, OK, Suspect},
		"too many protected":                        {JobCounts{7, 1, 4}, false, OK, Violated},
		"too many protected, of a changing list":    {JobCounts{7, 1, 4}, true, OK, Suspect},
		"all protected":                             {JobCounts{12, 0, 0}, false, OK, Violated},
		"too many protected and too many in a list": {JobCounts{7, 0, 6}, false, Violated, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			l := ListRecord{Context: plainContext(), Recorded: c.recorded, Stated: cut, Replayed: cut, Changed: c.changed}
			rulings := l.Judge(nil)
			expect(t, rulings, LST01, c.LST01)
			expect(t, rulings, LST04, c.LST04)
		})
	}
}

// Lists are wrong only if they are by either cut (core/spec/invariants.md §1).
func TestListRecordsOfTwoCuts(t *testing.T) {
	for name, c := range map[string]struct {
		stated, replayed JobCounts
		LST01, LST04     Verdict
	}{
		"as stated":                    {JobCounts{4, 4, 4}, JobCounts{8, 2, 2}, OK, OK},
		"as replayed":                  {JobCounts{8, 2, 2}, JobCounts{4, 4, 4}, OK, OK},
		"nearly as stated":             {JobCounts{4, 3, 5}, JobCounts{8, 2, 2}, Suspect, OK},
		"nearly as replayed":           {JobCounts{0, 0, 12}, JobCounts{3, 5, 4}, OK, Suspect},
		"too many protected by either": {JobCounts{1, 7, 4}, JobCounts{2, 2, 8}, OK, Violated},
		"too few protected by either":  {JobCounts{6, 6, 0}, JobCounts{7, 5, 0}, Violated, OK},
		"one fault by each":            {JobCounts{1, 7, 4}, JobCounts{12, 0, 0}, OK, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			l := ListRecord{Context: plainContext(), Recorded: JobCounts{4, 4, 4}, Stated: c.stated, Replayed: c.replayed}
			rulings := l.Judge(nil)
			expect(t, rulings, LST01, c.LST01)
			expect(t, rulings, LST04, c.LST04)
		})
	}
}
