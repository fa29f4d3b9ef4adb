package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core/quantity"
	"poolproof/core/spelling"
)

// A CauseProof compares a deficit with those after removing its causes one at a time, in logs that
// the core decided again.
type CauseProof struct {
	Kind, Name, Tree string
	Level            string
	Unit             string       // share·s, or s where it is not known how much was wanted
	Recorded         float64      // that were lacking at the level in the run
	Control          float64      // likewise if the core decides and nothing is changed
	Finding          bool         // it is about a finding, which a change makes disappear or not; else a deficit, which it halves or not
	InControl        bool         // the control has the finding, or at least half of the deficit
	Trace            string       // whose log was decided anew
	Part             [2]time.Time // of it that was; zero: all of it
	Trials           []CauseTrial
	Notes            []string // what a reader should know, as sentences
}

// A CauseTrial is one cause with the change that takes it away.
type CauseTrial struct {
	Cause, Obstacle, Holder, Limiting string
	MaxShareRatio                     float64 // of a limit: that is set instead of resource_limits; 0 if none is
	Part                              float64 // of what was lacking
	Change                            string  // what is changed; empty if no edit takes the cause away
	Size                              string  // the least that helps; of a change that does not, the greatest that was tried; empty if there is one
	Edit                              string  // a file of edits that makes the change in this size
	Tried                             int     // sizes
	Lacked                            float64 // with it
	Gone                              bool
	Refused                           []string // the rules by which a cluster refuses it, so that it was not tried
}

// AddTo tells the proof in a document, after its answer.
func (c *CauseProof) AddTo(d *Document) {
	p := &passage{Key: "cause_proof", Title: "Proof of the cause"}
	d.Passages = slices.Insert(d.Passages, min(1, len(d.Passages)), p)
	p.Prose = append(c.answer(), c.Notes...)
	p.Table = &grid{columns: []column{
		{"part", "ratio", "part"}, {"cause", "", ""}, {"obstacle", "", ""}, {"reason", "", "cause"}, {"change", "", "change"}, {"size", "", "size"},
		{"lacked", c.Unit, "it lacked"}, {"gone", "", "helps"}, {"edit", "", ""},
	}}
	for _, t := range c.Trials {
		row := []value{{t.Part, tabled(t.Part)}, word(t.Cause), wordOrNone(t.Obstacle), word(t.reason()),
			wordOrNone(t.Change), wordOrNone(t.Size), {}, {}, {wordOrNone(t.Edit).of, ""}}
		switch {
		case t.Change == "" && c.InControl:
			row[4].text = "none: no edit takes this cause away"
		case t.Change == "":
			row[4].text = "none was tried"
		case len(t.Refused) > 0:
			row[7] = value{nil, "refused"}
		default:
			row[6], row[7] = value{t.Lacked, quantity.Of(t.Lacked, c.Unit)}, value{t.Gone, map[bool]string{true: "yes", false: "no"}[t.Gone]}
		}
		p.Table.Rows = append(p.Table.Rows, row)
	}
	c.commands(p)
}

// commands adds the commands that repeat the changes one by one.
func (c *CauseProof) commands(p *passage) {
	var part []string
	if !c.Part[0].IsZero() {
		part = []string{"--from", askTime(c.Part[0]), "--to", askTime(c.Part[1])}
	}
	for _, t := range c.Trials {
		if t.Change == "" || len(t.Refused) > 0 {
			continue
		}
		file := fmt.Sprintf("edit-%d.yaml", len(p.Commands)+1)
		options := append([]string{"--edit", file, "--subject", c.Name, "--tree", spelling.OneListed(c.Tree)}, part...)
		p.show(spelling.Command("what-if", []string{c.Trace}, options...),
			fmt.Sprintf("%s; %s says %s", t.whole(), file, spelling.OneName(strings.TrimSpace(t.Edit))))
	}
}

// whole is the change with its size.
func (t *CauseTrial) whole() string { return strings.TrimSpace(t.Change + " " + t.Size) }

func (t *CauseTrial) reason() string {
	r := debt{cause: t.Cause, obstacle: t.Obstacle, pool: t.Holder, limiting: t.Limiting, ratio: t.MaxShareRatio}
	return r.whole()
}

// answer says which changes helped.
func (c *CauseProof) answer() (sentences []string) {
	what := "the deficit"
	if c.Finding {
		what = "the finding"
	}
	sentences = append(sentences, fmt.Sprintf("In the run it lacked %s of %s; decided anew by the rules, without any change, %s.",
		quantity.Of(c.Recorded, c.Unit), levelWords[c.Level], quantity.Of(c.Control, c.Unit)))
	if !c.InControl {
		return append(sentences, fmt.Sprintf("A scheduler that decides by the rules does not show %s: the decisions that were recorded are its cause.", what))
	}
	var helped, not, refused []string
	for _, t := range c.Trials {
		switch {
		case t.Change == "":
		case len(t.Refused) > 0:
			refused = append(refused, fmt.Sprintf("%s (%s)", t.whole(), strings.Join(t.Refused, "; ")))
		case t.Gone:
			helped = append(helped, t.whole())
		default:
			not = append(not, t.whole())
		}
	}
	gone := "would have made the finding disappear"
	if !c.Finding {
		gone = "would have halved the deficit at least"
	}
	if len(helped) > 0 {
		sentences = append(sentences, fmt.Sprintf("Each of these %s: %s.", gone, strings.Join(helped, "; ")))
	} else {
		sentences = append(sentences, fmt.Sprintf("No change that was tried %s.", gone))
	}
	if len(not) > 0 {
		sentences = append(sentences, fmt.Sprintf("These would not: %s.", strings.Join(not, "; ")))
	}
	if len(refused) > 0 {
		sentences = append(sentences, fmt.Sprintf("These were not tried, since a cluster refuses them: %s.", strings.Join(refused, "; ")))
	}
	return sentences
}
