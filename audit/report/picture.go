package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Size of the picture of a stack in units of its view box; the page stretches it.
const (
	pictureWidth  = 1200
	pictureHeight = 400
)

// A shape is a part of the picture: an area or a line, as SVG has it.
type shape struct{ Class, Path string }

// A sample is an entry of the legend of a picture.
type sample struct{ Class, Name, Text string }

// top is the share at the upper edge: all of the tree, or more where more was wanted.
func (s *stack) top() int64 {
	const all = 1_000_000_000
	top := int64(1)
	for _, roof := range s.roofs() {
		top = max(top, slices.Max(roof))
	}
	for _, l := range s.lines() {
		top = max(top, min(slices.Max(l.Values), all))
	}
	for _, e := range upperEdges {
		if top <= e.share {
			return e.share
		}
	}
	return top
}

// upperEdges are the shares at which the picture ends, the least that holds all, and into how
// many parts the marks of its axis divide it.
var upperEdges = []struct {
	share int64
	parts int
}{{100_000_000, 5}, {250_000_000, 5}, {500_000_000, 5}, {1_000_000_000, 4}, {1_250_000_000, 5}, {1_500_000_000, 6}}

// roofs are the upper edges of the bands; each stands on those before it.
func (s *stack) roofs() (roofs [][]int64) {
	base := make([]int64, stackBuckets)
	for _, b := range s.Bands {
		base = more(base, b.Values)
		roofs = append(roofs, base)
	}
	return roofs
}

// lines are those of the subject and, on what their pools stand on, the guarantees of the bands.
func (s *stack) lines() []band {
	lines, base := slices.Clone(s.Lines), make([]int64, stackBuckets)
	for _, b := range s.Bands {
		if b.Guaranteed != nil {
			lines = append(lines, band{Class: "guarantee " + b.Class, Values: more(base, b.Guaranteed)})
		}
		base = more(base, b.Values)
	}
	return lines
}

// more is the sum of some values and others.
func more(values, others []int64) []int64 {
	sum := slices.Clone(values)
	for i := range sum {
		sum[i] += others[i]
	}
	return sum
}

// Areas are the bands, each drawn down to the floor: the next covers what is below it.
func (s *stack) Areas() (shapes []shape) {
	for i, roof := range s.roofs() {
		shapes = append(shapes, shape{s.Bands[i].Class, fmt.Sprintf("%sV%dH0Z", s.steps(roof), pictureHeight)})
	}
	slices.Reverse(shapes)
	return shapes
}

func (s *stack) Strokes() (shapes []shape) {
	for _, l := range s.lines() {
		shapes = append(shapes, shape{l.Class, s.steps(l.Values)})
	}
	return shapes
}

// steps is a path over the buckets, cut at the upper edge.
func (s *stack) steps(values []int64) string {
	var b strings.Builder
	top, last := s.top(), -1
	for i, v := range values {
		y := pictureHeight - int(min(v, top)*pictureHeight/top)
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M0 %d", y)
		case y != last:
			fmt.Fprintf(&b, "H%dV%d", i*pictureWidth/stackBuckets, y)
		}
		last = y
	}
	fmt.Fprintf(&b, "H%d", pictureWidth)
	return b.String()
}

// Scale are the marks of the axis of shares, from the top down.
func (s *stack) Scale() (marks []string) {
	top, parts := s.top(), 4
	for _, e := range upperEdges {
		if e.share == top {
			parts = e.parts
		}
	}
	for n := parts; n >= 0; n-- {
		marks = append(marks, percent(float64(top)*float64(n)/float64(parts)/1e9))
	}
	return marks
}

// Times are the marks of the axis of time, from the left: the beginning, the middle and the end.
func (s *stack) Times() (marks []string) {
	for _, n := range []int64{0, stackBuckets / 2, stackBuckets} {
		layout := "15:04:05"
		if n == 0 {
			layout = "2006-01-02 15:04:05"
		}
		marks = append(marks, time.UnixMicro(s.From+n*s.Step).UTC().Format(layout))
	}
	return marks
}

// Legend are the bands and the lines, with their means.
func (s *stack) Legend() (all []sample) {
	for _, b := range s.Bands {
		text := percent(mean(b.Values))
		if b.Guaranteed != nil {
			text += " (guaranteed " + percent(mean(b.Guaranteed)) + ")"
		}
		all = append(all, sample{b.Class, b.Name, text})
	}
	for _, l := range s.Lines {
		text := percent(mean(l.Values))
		if slices.Max(l.Values) > s.top() {
			text += " (cut at " + percent(float64(s.top())/1e9) + ")"
		}
		all = append(all, sample{"line " + l.Class, l.Name, text})
	}
	if s.hasGuarantees() {
		all = append(all, sample{"line guarantee", "strong guarantee of the pool of its colour, from its lower edge", ""})
	}
	return all
}

// Sentence says what the picture shows, for who cannot see it.
func (s *stack) Sentence() string {
	var parts []string
	for _, b := range s.Bands {
		part := b.Name + " " + percent(mean(b.Values))
		if b.Guaranteed != nil {
			part += " (guaranteed " + percent(mean(b.Guaranteed)) + ")"
		}
		parts = append(parts, part)
	}
	return "Usage on average, stacked: " + strings.Join(parts, ", ") + "."
}
