package whatif

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// TestSearch: the first value that holds is found in few trials, wherever it is; what
// contradicts it is named.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name    string
		of      Range
		holds   func(v float64) bool
		want    string
		atMost  int
		against []float64
	}{
		{"up", Range{0, 100, 1}, func(v float64) bool { return v >= 37 }, "37 true", 15, nil},
		{"down", Range{100, 0, 1}, func(v float64) bool { return v <= 37 }, "37 true", 15, nil},
		{"by tenths", Range{1, 2, 0.1}, func(v float64) bool { return v >= 1.3 }, "1.3 true", 10, nil},
		{"a last step that is shorter", Range{0, 10, 4}, func(v float64) bool { return v > 8 }, "10 true", 5, nil},
		{"at once", Range{3, 9, 1}, func(float64) bool { return true }, "3 true", 5, nil},
		{"never", Range{3, 9, 1}, func(float64) bool { return false }, "0 false", 5, nil},
		{"two values", Range{3, 4, 1}, func(v float64) bool { return v > 3 }, "4 true", 2, nil},
		{"one that is not monotone beyond", Range{0, 100, 1}, func(v float64) bool { return v >= 20 && (v < 60 || v > 90) }, "20 true", 15, []float64{60, 80}},
		{"one that holds in the middle alone", Range{0, 100, 1}, func(v float64) bool { return v >= 40 && v < 60 }, "40 true", 16, []float64{75, 70, 85, 100, 60}},
		{"one that holds before, too", Range{0, 100, 1}, func(v float64) bool { return v >= 80 || v > 15 && v < 25 }, "16 true", 25, []float64{37, 58, 79, 39, 59, 50, 75, 78, 76, 77}},
	} {
		asked := map[float64]bool{}
		f, err := Search(c.of, nothingIsRefused, func(values []float64) (holds []bool, err error) {
			for _, v := range values {
				if asked[v] {
					t.Errorf("%s: %v is tried twice", c.name, v)
				}
				asked[v] = true
				holds = append(holds, c.holds(v))
			}
			return holds, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(f.Value, f.Holds); got != c.want || len(asked) > c.atMost || len(f.Tried) != len(asked) {
			t.Errorf("%s: %s after %d trials, want %s after %d", c.name, got, len(asked), c.want, c.atMost)
		}
		for _, v := range f.Against {
			if !slices.Contains(c.against, v) {
				t.Errorf("%s: against it is %v", c.name, f.Against)
			}
		}
		if len(c.against) > 0 && len(f.Against) == 0 {
			t.Errorf("%s: nothing is against it", c.name)
		}
	}
	broken := errors.New("broken")
	if _, err := Search(Range{0, 1, 1}, nothingIsRefused, func([]float64) ([]bool, error) { return nil, broken }); err != broken {
		t.Errorf("an error becomes %v", err)
	}
}

func nothingIsRefused(float64) (bool, error) { return false, nil }

// TestSearchOfValuesThatAreRefused: they are never tried, whichever end of the range they are at, and
// the first of the others that holds is found.
func TestSearchOfValuesThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name           string
		of             Range
		refused, holds func(v float64) bool
		want           string
	}{
		{"above", Range{1, 100, 1}, func(v float64) bool { return v > 3 }, func(v float64) bool { return v >= 2 }, "2 true [{4 100 4}]"},
		{"above, none of the others holds", Range{1, 100, 1}, func(v float64) bool { return v > 3 }, func(v float64) bool { return v >= 5 }, "0 false [{4 100 4}]"},
		{"above, downwards", Range{100, 1, 1}, func(v float64) bool { return v > 30 }, func(v float64) bool { return v <= 20 }, "20 true [{100 31 31}]"},
		{"below", Range{0, 10, 1}, func(v float64) bool { return v < 4 }, func(v float64) bool { return v >= 1 }, "4 true [{0 3 3}]"},
		{"at both ends", Range{0, 1000, 1}, func(v float64) bool { return v < 40 || v > 60 }, func(v float64) bool { return v >= 50 }, "50 true [{0 39 39} {61 1000 61}]"},
		{"all", Range{0, 1000, 1}, func(float64) bool { return true }, func(float64) bool { return true }, "0 false [{0 1000 1000}]"},
	} {
		looked := 0
		f, err := Search(c.of, func(v float64) (bool, error) { looked++; return c.refused(v), nil }, func(values []float64) (holds []bool, err error) {
			for _, v := range values {
				if c.refused(v) {
					t.Errorf("%s: %v is tried", c.name, v)
				}
				holds = append(holds, c.holds(v))
			}
			return holds, nil
		})
		if got := fmt.Sprint(f.Value, f.Holds, f.Refused); err != nil || got != c.want || looked > 150 {
			t.Errorf("%s: got %s, %v after %d looks, want %s", c.name, got, err, looked, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := Search(Range{0, 1, 1}, func(float64) (bool, error) { return false, broken }, nil); err != broken {
		t.Errorf("an error becomes %v", err)
	}
}
