package fairshare

import (
	"fmt"
	"math"
	"testing"

	"poolproof/core/resource"
)

// slow is the second, obvious implementation of the core algorithm: it builds
// no plots, but evaluates F as it is defined and finds each fit factor by
// bisection. Its cost grows with the power of the depth.
type slow struct {
	t    *Tree
	past bool // where a budget ends at a jump, what lies past it is granted (§8.2 allows both)
}

// fuzz is how far the bisection stays from where a function may jump: the
// farther, the higher the element, so that a child that fills a resource
// exactly is seen to fill it.
func (s slow) fuzz(e Element) float64 {
	fuzz := 1e-10
	for p := s.t.nodes[e].parent; p != none; p = s.t.nodes[p].parent {
		fuzz /= 10
	}
	return fuzz
}

// function is F of an element (§7.2, §7.3), with the end of its domain.
func (s slow) function(e Element, f float64) (y resource.Share) {
	n, r := &s.t.nodes[e], s.t.Result(e)
	if n.operation != nil {
		if f <= 1 {
			return r.UsageShare.Min(resource.Uniform(f * r.UsageShare.Dominant()))
		}
		return r.UsageShare.Add(r.DemandShare.Sub(r.UsageShare).Scale(f - 1))
	}
	for i, c := range s.order(e) {
		y = y.Add(s.share(c, s.offer(e, c, i, f)))
	}
	return y
}

// order sorts the children of FIFO pools by their published position.
func (s slow) order(e Element) []Element {
	n := &s.t.nodes[e]
	if n.pool.config.Mode != FIFO {
		return n.children
	}
	order := make([]Element, len(n.children))
	for _, c := range n.children {
		order[s.t.Result(c).FIFOIndex] = c
	}
	return order
}

func (s slow) offer(e, c Element, i int, f float64) float64 {
	n := &s.t.nodes[e]
	if n.pool.config.Mode == FIFO {
		return min(max(f-float64(i), 0), 1)
	}
	least := math.Inf(1)
	for _, other := range n.children {
		least = min(least, s.t.Result(other).Weight)
	}
	return min(1, f*s.t.Result(c).Weight/least)
}

// fit is M: how far the element may go at a suggestion (§7.4).
func (s slow) fit(e Element, suggestion float64) float64 {
	r := s.t.Result(e)
	given := r.StrongShare.Add(r.Proposed)
	end := 1.0
	if n := &s.t.nodes[e]; n.operation != nil {
		end = 2
	} else if n.pool.config.Mode == FIFO {
		end = max(1, float64(len(n.children)))
	}
	zero, fuzz := s.function(e, 0), s.fuzz(e)
	allowed := func(f float64) bool {
		y := s.function(e, f)
		for k := range y {
			limit := max(r.LimitsShare[k], zero[k])
			bound := min(max(given[k], zero[k]), limit)
			switch {
			case s.past:
				bound += suggestion + fuzz
			case suggestion > 0:
				bound += suggestion - fuzz
			}
			if y[k] > min(bound, limit)+fuzz/2 {
				return false
			}
		}
		return true
	}
	if allowed(end) {
		return end
	}
	lo, hi := 0.0, end
	for range 48 {
		if middle := (lo + hi) / 2; allowed(middle) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo
}

// share is S of an element: what it gets at a suggestion.
func (s slow) share(e Element, suggestion float64) resource.Share {
	return s.function(e, s.fit(e, suggestion))
}

// compare compares what e and all below get with what the tree published.
func (s slow) compare(e Element, suggestion float64) error {
	f := s.fit(e, suggestion)
	want, got := s.function(e, f), s.t.Result(e).FairShare.Total
	for k := range want {
		if math.Abs(want[k]-got[k]) > 1e-7 {
			return fmt.Errorf("element %d gets %v, want %v", e, got, want)
		}
	}
	if s.t.nodes[e].operation != nil {
		return nil
	}
	for i, c := range s.order(e) {
		if err := s.compare(c, s.offer(e, c, i, f)); err != nil {
			return err
		}
	}
	return nil
}

// TestAgreesWithSlowImplementation compares fair shares of small trees, most
// of them with one level of pools, some with up to three.
func TestAgreesWithSlowImplementation(t *testing.T) {
	for seed := range uint64(300) {
		w := newTameWorld(seededChooser(seed))
		first := w.trees[0]
		if seed%30 == 0 {
			w.grow(3, 3)
		} else {
			for range 1 + w.chooser(3) {
				w.pools = append(w.pools, first.AddPool(Root, w.pool()))
			}
			w.grow(0, 1+w.chooser(5))
		}
		if err := first.Update(w.now, NoUpdate); err != nil {
			t.Fatal(err)
		}
		if err := (slow{t: first}).compare(Root, 1); err != nil && (slow{first, true}).compare(Root, 1) != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
