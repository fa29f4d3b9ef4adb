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
// tree; usage_ratio_max is the greatest usage, min_share_ratio the greatest guarantee and
// limit_ratio the least limit that is set. within is whether the finding, or the time asked for, lies in it.
var timelineColumns = []column{
	{"from_time", "UTC", "  from, UTC"}, {"to_time", "UTC", ""}, {"within", "", ""},
	{"demand_ratio", "share of the tree", "demand"}, {"min_share_ratio", "share of the tree", "guarantee"}, {"limit_ratio", "share of the tree", "limit"},
	{"fair_share_ratio", "share of the tree", "fair share"}, {"usage_ratio", "share of the tree", "usage"}, {"usage_ratio_max", "share of the tree", "at most"},
	{"status", "", "status"}, {"started_jobs", "jobs", "starts"}, {"preempted_jobs", "jobs", "preempted"},
}

// timeline adds a row per bucket of a frame; those that are meant have the mark that the
// note explains. Where the element was never there, nothing is added.
func (d *Document) timeline(title, note string, fr frame, points []*point, happened []happening, meant func(start, stop time.Time) bool) {
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
			row = append(row, value{nil, "not there"})
			g.Rows = append(g.Rows, append(row, make([]value, len(timelineColumns)-len(row))...))
			continue
		}
		limit := tabled(p.Limit)
		if p.Limit > 1-1e-9 {
			limit = "none"
		}
		row = append(row, value{p.Demand, tabled(p.Demand)}, value{p.Guarantee, tabled(p.Guarantee)}, value{p.Limit, limit})
		for _, share := range []float64{p.FairShare, p.Usage, p.Peak} {
			row = append(row, value{share, tabled(share)})
		}
		h := happened[i]
		g.Rows = append(g.Rows, append(row, word(statusWords[h.status]), value{h.starts, number(h.starts)}, value{h.preempted, number(h.preempted)}))
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
