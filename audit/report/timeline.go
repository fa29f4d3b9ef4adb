package report

import (
	"fmt"
	"strings"
	"time"

	"poolproof/audit"
)

// timelineRows are the rows of a timeline.
const timelineRows = 16

// timelineColumns are those of a timeline. Shares are means over the row's time, of the
// tree; usage_ratio_max is the greatest usage and min_share_ratio the greatest guarantee.
// within is whether the finding, or the time asked for, lies in it.
var timelineColumns = []column{
	{"from_time", "UTC", "  from, UTC"}, {"to_time", "UTC", ""}, {"within", "", ""},
	{"usage_ratio", "share of the tree", "usage"}, {"usage_ratio_max", "share of the tree", "at most"}, {"fair_share_ratio", "share of the tree", "fair share"},
	{"min_share_ratio", "share of the tree", "guarantee"}, {"demand_ratio", "share of the tree", "demand"},
}

// timeline adds a row per bucket of a frame; those that are meant have the mark that the
// note explains. Where the element was never there, nothing is added.
func (d *Document) timeline(title, note string, fr frame, points []*point, meant func(start, stop time.Time) bool) {
	if merge(points) == nil {
		return
	}
	g := &grid{columns: timelineColumns, folds: true}
	for i, p := range points {
		start := time.UnixMicro(fr.From + int64(i)*fr.Step).UTC()
		stop := start.Add(time.Duration(fr.Step) * time.Microsecond)
		mark := "  "
		if meant(start, stop) {
			mark = "> "
		}
		row := []value{{stamp(&start), mark + start.Format("2006-01-02 15:04:05")}, {stamp(&stop), ""}, {mark == "> ", ""}}
		if p == nil {
			g.Rows = append(g.Rows, append(row, value{nil, "not there"}, value{}, value{}, value{}, value{}))
			continue
		}
		for _, share := range []float64{p.Usage, p.Peak, p.FairShare, p.Guarantee, p.Demand} {
			row = append(row, value{share, tabled(share)})
		}
		g.Rows = append(g.Rows, row)
	}
	if _, rows := g.forPeople(); rows == nil && strings.HasPrefix(note, ">") {
		note = "" // no row has the mark
	}
	if note != "" {
		note = "; " + note
	}
	d.add("timeline", fmt.Sprintf("%s, shares of the tree, means from the time on%s", title, note)).Table = g
}

// toldWindow is the judged window, or what of it is asked for.
func toldWindow(v *audit.Verdict, from, to *time.Time) (begin, end time.Time, err error) {
	begin, errFrom := time.Parse(time.RFC3339Nano, v.From)
	end, errTo := time.Parse(time.RFC3339Nano, v.To)
	if errFrom != nil || errTo != nil {
		return begin, end, fmt.Errorf("the verdict has no window: %q to %q", v.From, v.To)
	}
	if from != nil {
		begin = *from
	}
	if to != nil {
		end = *to
	}
	return begin, end, nil
}
