package judge

import "testing"

// one returns the verdict on an invariant, and fails if there is none.
func one(t *testing.T, rulings []Ruling, i Invariant) Verdict {
	t.Helper()
	v, judged := Worst(rulings, i)
	if !judged {
		t.Fatalf("%v is not judged in %v", i, rulings)
	}
	return v
}

// The last version of the settings judges first; only where an older one that may
// have been in force agrees is a start alleged.
func TestSubmissions(t *testing.T) {
	slacks := DefaultSlacks()
	ctx := Context{Evidence: Recorded, Slacks: &slacks}
	a, b := []string{"a"}, []string{"a", "b"}
	for name, c := range map[string]struct {
		s    Submission
		of   Invariant
		want Verdict
	}{
		"room in the cluster":             {Submission{Live: 1, Limits: []int64{2}}, CNT08, OK},
		"a full cluster":                  {Submission{Live: 2, Limits: []int64{2}}, CNT08, Violated},
		"the limit has just come down":    {Submission{Live: 2, Limits: []int64{2, 3}}, CNT08, Suspect},
		"no limit is known":               {Submission{Live: 9}, CNT08, Undecidable},
		"the default tree":                {Submission{Unnamed: true, Choices: [][]string{a}, Trees: a}, TREE07, OK},
		"another than the default tree":   {Submission{Unnamed: true, Choices: [][]string{a}, Trees: []string{"b"}}, TREE07, Violated},
		"more than the default tree":      {Submission{Unnamed: true, Choices: [][]string{a}, Trees: b, Offload: No}, TREE07, Violated},
		"more, which may be an offload's": {Submission{Unnamed: true, Choices: [][]string{a}, Trees: b}, TREE07, Suspect},
		"there is no default tree":        {Submission{Unnamed: true, Choices: [][]string{nil}, Trees: a}, TREE07, Violated},
		"there was one just now":          {Submission{Unnamed: true, Choices: [][]string{nil, a}, Trees: a}, TREE07, Suspect},
		"refused for want of a tree":      {Submission{Unnamed: true, Choices: [][]string{nil}, Refused: 214}, TREE07, OK},
		"refused though there is one":     {Submission{Unnamed: true, Choices: [][]string{a}, Refused: 214}, TREE07, Violated},
		"refused for another reason":      {Submission{Unnamed: true, Choices: [][]string{nil}, Refused: 202}, TREE07, OK},
		"its request is not recorded":     {Submission{Trees: a, Choices: [][]string{a}, Unspecified: true}, TREE07, Undecidable},
		"the cluster is not known":        {Submission{Trees: a, Unnamed: true}, TREE07, Undecidable},
		"the trees it asks for":           {Submission{Choices: [][]string{b}, Trees: a, Offload: No}, TREE05, OK},
		"a tree that it does not ask for": {Submission{Choices: [][]string{a}, Trees: b, Offload: No}, TREE05, Violated},
		"a tree that may be an offload's": {Submission{Choices: [][]string{a}, Trees: b}, TREE05, Suspect},
	} {
		c.s.Context = ctx
		if got := one(t, c.s.Judge(nil), c.of); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestHomeless(t *testing.T) {
	slacks := DefaultSlacks()
	ctx := Context{Evidence: Recorded, Slacks: &slacks}
	at := func(seconds, slack int64) Homeless {
		return Homeless{Context: ctx, Since: 100 * second, Until: (100 + seconds) * second, Gone: true, Slack: slack * second}
	}
	late := at(67, 60)
	stays := at(10, 60)
	stays.Gone = false
	completes, atOnce := at(10, 60), at(5, 60)
	completes.Otherwise, atOnce.Otherwise = true, true
	excused := at(67, 60)
	excused.Excuse = Reconnecting
	for name, c := range map[string]struct {
		h    Homeless
		want Verdict
	}{
		"in time": {at(66, 60), OK}, "too late": {late, Violated}, "never": {stays, Violated}, "another slack": {at(67, 90), OK},
		"it completes": {completes, Violated}, "it completes before anybody knows": {atOnce, OK}, "while the scheduler was away": {excused, Excused},
	} {
		if got := one(t, c.h.Judge(nil), TREE06); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestSettling(t *testing.T) {
	slacks := DefaultSlacks()
	for name, c := range map[string]struct {
		s    Settling
		want Verdict
	}{
		"one":                 {Settling{Kept: 1, Ran: Yes}, OK},
		"one, and who knows":  {Settling{Kept: 1}, OK},
		"one where it waited": {Settling{Kept: 1, Ran: No}, Violated},
		"two":                 {Settling{Kept: 2, Ran: Yes}, Violated},
		"one, a moment later": {Settling{Kept: 1, Soon: true, Ran: Yes}, Suspect},
		"it waited there":     {Settling{Kept: 1, Soon: true, Ran: No}, Violated},
		"none":                {Settling{}, Violated},
		"nobody does that":    {Settling{Kept: 2, Disabled: true}, Excused},
	} {
		c.s.Context = Context{Evidence: Recorded, Slacks: &slacks}
		if got := one(t, c.s.Judge(nil), TREE10); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
