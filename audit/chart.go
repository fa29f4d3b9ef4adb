package audit

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Charts for a terminal, of answers of two columns: what, and how much.

const (
	chartWidth  = 60 // characters of the longest bar, and of a line from left to right
	chartHeight = 15 // lines of a line chart
)

// A chart collects an answer.
type chart struct {
	w       io.Writer
	columns []string
	labels  []string
	xs      []float64 // of numbers and times
	ys      []float64
	draw    func(*chart) error
}

func newBarWriter(w io.Writer, columns []string) rowWriter {
	return &chart{w: w, columns: columns, draw: (*chart).bars}
}

func newLineWriter(w io.Writer, columns []string) rowWriter {
	return &chart{w: w, columns: columns, draw: (*chart).line}
}

func (c *chart) row(values []any) error {
	if len(values) != 2 {
		return &UsageError{fmt.Errorf("a chart is of two columns, what and how much, and the answer has %d: %s", len(values), strings.Join(c.columns, ", "))}
	}
	if values[1] == nil {
		return nil // nothing to draw
	}
	y, ok := number(values[1])
	if !ok {
		return &UsageError{fmt.Errorf("a chart draws numbers, and the column %s holds %q", c.columns[1], texts(values)[1])}
	}
	x := float64(len(c.xs))
	if n, ok := number(values[0]); ok {
		x = n
	}
	c.labels, c.xs, c.ys = append(c.labels, strings.ReplaceAll(texts(values)[0], "\n", " ")), append(c.xs, x), append(c.ys, y)
	return nil
}

// number is a value as a number; a time counts its microseconds.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case time.Time:
		return float64(n.UnixMicro()), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	case float32:
		return number(float64(n))
	case int8:
		return float64(n), true
	case int16:
		return float64(n), true
	case int32:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint8:
		return float64(n), true
	case uint16:
		return float64(n), true
	case uint32:
		return float64(n), true
	case uint64:
		return float64(n), true
	case *big.Int:
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	}
	if n, ok := plainOfDriver(v).(float64); ok { // a decimal
		return n, true
	}
	return 0, false
}

func (c *chart) end() error {
	if len(c.columns) != 2 {
		return c.row(make([]any, len(c.columns)))
	}
	if len(c.ys) == 0 {
		_, err := fmt.Fprintln(c.w, "nothing to draw")
		return err
	}
	return c.draw(c)
}

// bars draws a bar per row; bars of what is below zero are pale.
func (c *chart) bars() error {
	widest, greatest := utf8.RuneCountInString(c.columns[0]), 0.0
	for i, label := range c.labels {
		widest = max(widest, utf8.RuneCountInString(label))
		greatest = max(greatest, math.Abs(c.ys[i]))
	}
	line := func(label, bar string) error {
		_, err := fmt.Fprintf(c.w, "%s%s  %s\n", label, strings.Repeat(" ", widest-utf8.RuneCountInString(label)), bar)
		return err
	}
	if err := line(c.columns[0], c.columns[1]); err != nil {
		return err
	}
	for i, label := range c.labels {
		if err := line(label, bar(c.ys[i], greatest)+" "+figure(c.ys[i])); err != nil {
			return err
		}
	}
	return nil
}

// bar is as long as y is of the greatest, to an eighth of a character.
func bar(y, greatest float64) string {
	if greatest == 0 {
		return ""
	}
	eighths := int(math.Round(math.Abs(y) / greatest * chartWidth * 8))
	if y < 0 {
		return strings.Repeat("░", (eighths+4)/8)
	}
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// figure is a number for a person: six digits that count.
func figure(x float64) string { return fmt.Sprintf("%.6g", x) }

// line draws the rows from left to right by their first column, or evenly if that is not a number
// or a time. Several rows at one place become a line from the least to the greatest.
func (c *chart) line() error {
	left, right := slices.Min(c.xs), slices.Max(c.xs)
	low, high := slices.Min(c.ys), slices.Max(c.ys)
	least, most := c.ranges(left, right, low, high)
	margin := max(len(figure(low)), len(figure(high)))
	fmt.Fprintf(c.w, "%s by %s\n", c.columns[1], c.columns[0])
	for y := chartHeight - 1; y >= 0; y-- {
		label := ""
		switch y {
		case chartHeight - 1:
			label = figure(high)
		case 0:
			label = figure(low)
		}
		var cells strings.Builder
		for x := range least {
			switch {
			case least[x] < 0 || y < least[x] || y > most[x]:
				cells.WriteByte(' ')
			case least[x] == most[x]:
				cells.WriteString("•")
			default:
				cells.WriteString("┃")
			}
		}
		fmt.Fprintf(c.w, "%*s ┤%s\n", margin, label, strings.TrimRight(cells.String(), " "))
	}
	first, last := c.labels[0], c.labels[0]
	for i, x := range c.xs {
		if x == left {
			first = c.labels[i]
		}
		if x == right {
			last = c.labels[i]
		}
	}
	_, err := fmt.Fprintf(c.w, "%s └%s\n%s  %s%*s\n", strings.Repeat(" ", margin), strings.Repeat("─", chartWidth), strings.Repeat(" ", margin), first, max(chartWidth-utf8.RuneCountInString(first), utf8.RuneCountInString(last)+1), last)
	return err
}

// ranges returns the least and the greatest row of the drawing in each of its columns, -1 in those
// before the first value and behind the last one.
func (c *chart) ranges(left, right, low, high float64) (least, most []int) {
	place := func(v, from, to float64, last int) int {
		if to == from {
			return 0
		}
		return int(math.Round((v - from) / (to - from) * float64(last)))
	}
	least, most = make([]int, chartWidth), make([]int, chartWidth)
	for i := range least {
		least[i] = -1
	}
	for i := range c.xs {
		x, y := place(c.xs[i], left, right, chartWidth-1), place(c.ys[i], low, high, chartHeight-1)
		if least[x] < 0 {
			least[x], most[x] = y, y
		}
		least[x], most[x] = min(least[x], y), max(most[x], y)
	}
	for x, before := 1, 0; x < chartWidth; x++ {
		if least[x] < 0 {
			continue
		}
		for between := before + 1; between < x; between++ { // a straight line over what has no row
			y := int(math.Round(float64(most[before]) + float64(least[x]-most[before])*float64(between-before)/float64(x-before)))
			least[between], most[between] = y, y
		}
		before = x
	}
	return least, most
}
