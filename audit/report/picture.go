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
	for i := range stackBuckets {
		sum := int64(0)
		for _, b := range s.Bands {
			sum += b.Values[i]
		}
		top = max(top, sum)
		for _, l := range s.Lines {
			top = max(top, min(l.Values[i], all))
		}
	}
	for _, step := range []int64{all / 10, all / 4, all / 2, all, all * 5 / 4, all * 3 / 2} {
		if top <= step {
			return step
		}
	}
	return top
}

// Areas are the bands, each on those before it, and Strokes the lines, as steps.
func (s *stack) Areas() (shapes []shape) {
	base := make([]int64, stackBuckets)
	for _, b := range s.Bands {
		roof := make([]int64, stackBuckets)
		for i := range roof {
			roof[i] = base[i] + b.Values[i]
		}
		shapes = append(shapes, shape{b.Class, s.steps(roof, false) + s.steps(base, true) + "Z"})
		base = roof
	}
	return shapes
}

func (s *stack) Strokes() (shapes []shape) {
	for _, l := range s.Lines {
		values := slices.Clone(l.Values)
		for i := range values {
			values[i] = min(values[i], s.top())
		}
		shapes = append(shapes, shape{l.Class, s.steps(values, false)})
	}
	return shapes
}

// steps is a path over the buckets; backwards it goes on from where another ended.
func (s *stack) steps(values []int64, backwards bool) string {
	var b strings.Builder
	x := func(i int) int { return i * pictureWidth / stackBuckets }
	y := func(v int64) int { return pictureHeight - int(v*pictureHeight/s.top()) }
	if backwards {
		for i := len(values) - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "L%d %dH%d", x(i+1), y(values[i]), x(i))
		}
		return b.String()
	}
	for i, v := range values {
		if i == 0 {
			fmt.Fprintf(&b, "M0 %d", y(v))
		} else {
			fmt.Fprintf(&b, "V%d", y(v))
		}
		fmt.Fprintf(&b, "H%d", x(i+1))
	}
	return b.String()
}

// Scale are the marks of the axis of shares, from the top down.
func (s *stack) Scale() (marks []string) {
	for quarter := int64(4); quarter >= 0; quarter-- {
		marks = append(marks, percent(float64(s.top()*quarter/4)/1e9))
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
		all = append(all, sample{b.Class, b.Name, percent(s.mean(b))})
	}
	for _, l := range s.Lines {
		text := percent(s.mean(l))
		if slices.Max(l.Values) > s.top() {
			text += " (cut at " + percent(float64(s.top())/1e9) + ")"
		}
		all = append(all, sample{"line " + l.Class, "its " + l.Name, text})
	}
	return all
}

// Sentence says what the picture shows, for who cannot see it.
func (s *stack) Sentence() string {
	var parts []string
	for _, b := range s.Bands {
		parts = append(parts, b.Name+" "+percent(s.mean(b)))
	}
	return "Usage on average, stacked: " + strings.Join(parts, ", ") + "."
}
