package treejson

import (
	"bufio"
	"fmt"
	"strings"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// near is within what two shares may differ and still count as equal.
const near = 1e-7

// WriteExplanation says in words what bounds the share of a node.
func (in *Tree) WriteExplanation(out *bufio.Writer, id string) error {
	i, ok := in.byName[id]
	if !ok {
		return fmt.Errorf("node %q is not in the tree", id)
	}
	r := in.result(i)
	fmt.Fprintf(out, "%s %q: fair share %s of the demanded %s (%v).\n", in.nodes[i].kind, id,
		inPercent(r.FairShare.Total.Dominant()), inPercent(r.DemandShare.Dominant()), r.Dominant)
	for _, sentence := range in.explain(i) {
		fmt.Fprintf(out, "- %s\n", sentence)
	}
	return nil
}

func (in *Tree) result(i int) *fairshare.Result { return in.tree.Result(in.elements[i]) }

// explain returns what gives the node its share, then what keeps it from more.
func (in *Tree) explain(i int) (sentences []string) {
	say := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	r := in.result(i)
	if strong := r.StrongShare.Dominant(); strong > 0 {
		say("Its strong guarantee is %s; its fair share takes %s of it.", inPercent(strong), inPercent(r.FairShare.Strong.Dominant()))
	}
	in.explainIntegral(i, say)
	if weight := r.FairShare.Weight.Dominant(); weight > near {
		say("Competition by weight gives it %s.", inPercent(weight))
	}
	if r.DemandShare.Dominant() == 0 {
		say("It demands nothing that the tree has.")
		return sentences
	}
	if r.DemandShare.FitsIn(r.FairShare.Total.Plus(near)) {
		say("Its own demand bounds it: it gets everything it asks for.")
		return sentences
	}
	before := len(sentences)
	in.explainLimits(i, say)
	in.explainQueue(i, say)
	if in.nodes[i].operation.Gang && r.FairShare.Total.Dominant() == 0 && in.truncates(i) {
		say("It is a gang, all or nothing, and what is left for it is less than it demands: its FIFO pool gives it nothing.")
	}
	if len(sentences) == before || !in.limited(i) {
		in.explainCompetition(i, say)
	}
	return sentences
}

// explainIntegral explains the integral guarantee and the volume behind it.
func (in *Tree) explainIntegral(i int, say func(string, ...any)) {
	p := &in.nodes[i].pool.Integral
	if in.nodes[i].kind != kindPool || p.Type == fairshare.NoGuarantee {
		return
	}
	r := in.result(i)
	g := r.Integral
	most, name := g.Burst, "burst guarantee"
	if p.Type == fairshare.Relaxed {
		most, name = g.Flow*p.RelaxedShareMultiplierLimit.Or(3), "relaxed guarantee, flow times multiplier,"
	}
	say("Its %s is at most %s; it is offered %s, and its fair share takes %s of that.",
		name, inPercent(most), inPercent(r.Proposed.Dominant()), inPercent(r.FairShare.Integral.Dominant()))
	affordable := g.RatioVolume(in.tree.Total()) / resource.Seconds(in.tree.Options().SmoothPeriod)
	if affordable < most {
		say("Volume is missing: the accumulated volume of %.4g s of the whole tree pays for %s only.",
			g.RatioVolume(in.tree.Total()), inPercent(affordable))
	}
}

// explainLimits names the resources in which the node, or a pool above it, has
// reached its limit.
func (in *Tree) explainLimits(i int, say func(string, ...any)) {
	for a := i; a >= 0; a = in.parent(a) {
		if in.nodes[a].kind == kindRoot {
			break
		}
		full := in.full(a, i)
		if len(full) == 0 {
			continue
		}
		whose := "Its own limit"
		if a != i {
			whose = fmt.Sprintf("The limit of %q above it", in.nodes[a].id)
		}
		say("%s is reached: %s.", whose, strings.Join(full, ", "))
	}
}

// full lists the resources in which a stands at its limit, and i wants more.
func (in *Tree) full(a, i int) (full []string) {
	r, wants := in.result(a), in.result(i)
	for k := range r.LimitsShare {
		wanted := wants.DemandShare[k] > wants.FairShare.Total[k]+near
		if in.tree.Total()[k] > 0 && wanted && r.FairShare.Total[k] >= r.LimitsShare[k]-near {
			full = append(full, fmt.Sprintf("%v %s", resource.Kind(k), inPercent(r.LimitsShare[k])))
		}
	}
	return full
}

// limited reports whether the node, or a pool above it, stands at its limit.
func (in *Tree) limited(i int) bool {
	for a := i; a >= 0 && in.nodes[a].kind != kindRoot; a = in.parent(a) {
		if len(in.full(a, i)) > 0 && a == i {
			return true
		}
	}
	return false
}

// explainQueue explains the position in a FIFO pool.
func (in *Tree) explainQueue(i int, say func(string, ...any)) {
	r := in.result(i)
	if r.FIFOIndex < 0 {
		return
	}
	if r.FIFOIndex == 0 {
		say("It stands first in the FIFO pool %q.", in.nodes[i].parent)
		return
	}
	say("It stands at position %d of the FIFO pool %q and gets what the %d before it leave.",
		r.FIFOIndex+1, in.nodes[i].parent, r.FIFOIndex)
}

// truncates reports whether the node's pool cuts gangs it cannot satisfy.
func (in *Tree) truncates(i int) bool {
	p := in.parent(i)
	return p >= 0 && in.nodes[p].pool.Mode == fairshare.FIFO && in.nodes[p].pool.TruncateFIFO.Or(false)
}

// explainCompetition names who holds what the node wants: level by level, the
// siblings that get shares by weight, and the resource that is used up.
func (in *Tree) explainCompetition(i int, say func(string, ...any)) {
	wants := in.result(i)
	for a := i; in.parent(a) >= 0; a = in.parent(a) {
		p := in.parent(a)
		if in.nodes[p].pool.Mode != fairshare.FIFO {
			if competitors := in.competitors(a); len(competitors) > 0 {
				say("In %q it competes%s with weight %.6g against %s.", in.nodes[p].id,
					through(in.nodes[a].id, a != i), in.result(a).Weight, strings.Join(competitors, ", "))
			}
		}
		if in.nodes[p].kind != kindRoot {
			if len(in.full(p, i)) > 0 {
				return // what lies above does not matter
			}
			continue
		}
		var used []string
		for k, total := range in.tree.Total() {
			if total > 0 && wants.DemandShare[k] > wants.FairShare.Total[k]+near && in.result(p).FairShare.Total[k] >= in.result(p).LimitsShare[k]-near {
				used = append(used, resource.Kind(k).String())
			}
		}
		if len(used) > 0 {
			say("The tree has no more %s to give.", strings.Join(used, ", "))
		}
	}
}

// through says by which pool a node competes.
func through(id string, above bool) string {
	if !above {
		return ""
	}
	return fmt.Sprintf(" through %q", id)
}

// competitors lists the siblings that get a share, the largest first, four at most.
func (in *Tree) competitors(i int) (names []string) {
	rest := 0
	siblings := in.byShare(in.parent(i))
	for _, c := range siblings {
		if c == i {
			continue
		}
		if len(names) == 4 {
			rest++
			continue
		}
		r := in.result(c)
		names = append(names, fmt.Sprintf("%q (weight %.6g, share %s)", in.nodes[c].id, r.Weight, inPercent(r.FairShare.Total.Dominant())))
	}
	if rest > 0 {
		names = append(names, fmt.Sprintf("%d others", rest))
	}
	return names
}

// inPercent writes a share as a percentage of the tree.
func inPercent(share float64) string { return percent(share) + " %" }
