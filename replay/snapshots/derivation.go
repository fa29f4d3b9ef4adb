package snapshots

import (
	"fmt"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/quantity"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// A shareComparison compares the recorded fair share of an element with the one that follows from
// the other records of the snapshot and the configuration.
type shareComparison struct {
	about
	*view
	result        *fairshare.Result
	found         tables.SnapshotError
	weight        float64 // recorded, 0 if not recorded or not meaningful
	weightBefore  float64 // of the previous record
	above         int32   // slot of its recorded pool, none directly below the root
	apart         bool    // they differ by more than the tolerance
	aspect, cause string  // a recorded input that differs from the configured one, or ""
	undated       bool    // and the log does not date the configured one
	fresh         bool    // and differed in the previous record, or there was none: its change may be recorded later
}

// comparisons holds the comparisons of one snapshot, in reused memory.
type comparisons struct {
	all     []shareComparison
	causes  map[*view]*shareComparison // by element
	byPool  []childComparisons         // by the slot of the pool plus one, the first for elements below the root
	replays buffers                    // for the recorded inputs
}

// childComparisons sum up the comparisons of the children of a pool.
type childComparisons struct {
	apart  bool    // the share of the pool itself differs
	caused bool    // the share of a child differs and has a cause
	worst  float64 // the greatest difference of a child
}

// judgeDerivation judges whether the recorded fair shares follow from the records and the
// configuration (GUA-11). If not, the cause is a recorded weight, guarantee or limit that differs
// from the configured one, if the shares follow from that.
func (x *recomputation) judgeDerivation() {
	c := &x.comparisons
	x.addComparisons()
	apart := slices.ContainsFunc(c.all, func(d shareComparison) bool { return d.apart })
	if apart && x.missing == inputsComplete {
		x.findCauses()
		x.useRecorded()
		return
	}
	for i := range c.all {
		x.ruleDerivation(&c.all[i], judge.DerivedShare{Context: x.derivationContext()})
	}
}

// derivationContext returns the context, with the missing input if inputs are incomplete.
func (x *recomputation) derivationContext() judge.Context {
	c := x.asRecomputed()
	switch {
	case c.Missing != judge.NothingMissing || x.missing == inputsComplete:
	case x.missing == noConfiguration, x.missing == configurationChange:
		c.Missing = judge.Configuration
	default:
		c.Missing = judge.FairShares
	}
	return c
}

// addComparisons compares the fair shares that the snapshot records and that can be recomputed.
func (x *recomputation) addComparisons() {
	c := &x.comparisons
	c.all = c.all[:0]
	for _, slot := range x.seenPools {
		v := &x.Snapshots.pools[slot]
		if slot == 0 {
			continue
		}
		above, known := x.recordedParent(v)
		if d := x.addComparison(x.aboutPool(slot), &v.view, x.poolResult(slot), above, known); d != nil {
			d.weight, d.weightBefore = x.tellingWeight(v.record.Weight, d.above), v.earlier.Weight
		}
	}
	for _, slot := range x.seenOps {
		v := &x.Snapshots.operations[slot]
		above, known := x.Core.PoolOf(v.record.Pool)
		if d := x.addComparison(aboutOperation(v), &v.view, x.operationResult(slot), above, known); d != nil {
			d.weight, d.weightBefore = x.tellingWeight(v.record.Weight.Value, d.above), v.earlier.Weight.Value
		}
	}
}

// addComparison compares the fair share of an element below a pool; nil if there is nothing to compare.
func (x *recomputation) addComparison(a about, v *view, result *fairshare.Result, above int32, known bool) *shareComparison {
	found, told := differenceOf(v, result)
	if !told {
		return nil
	}
	if !known {
		above = -1
	}
	x.comparisons.all = append(x.comparisons.all, shareComparison{
		about: a, view: v, result: result, found: found, above: above, apart: found.Error > x.slacks.Epsilon,
	})
	return &x.comparisons.all[len(x.comparisons.all)-1]
}

// tellingWeight returns a recorded weight, 0 if it is inferred from unrecorded usage.
func (x *recomputation) tellingWeight(weight float64, above int32) float64 {
	if above >= 0 && x.Core.Pool(above).Config.InferFromHistory {
		return 0
	}
	return weight
}

// findCauses records which recorded inputs differ from the configured ones.
func (x *recomputation) findCauses() {
	c := &x.comparisons
	if c.causes == nil {
		c.causes = map[*view]*shareComparison{}
	}
	clear(c.causes)
	dated := x.Core.DatedOptions()
	for i := range c.all {
		d := &c.all[i]
		s, r := &d.state, d.result
		switch k := farthest(s.StrongShare, r.StrongShare); {
		case d.weight > 0 && math.Abs(d.weight-r.Weight) > inputsPrecision*r.Weight:
			d.aspect, d.fresh = "weight", !d.had || d.weight != d.weightBefore
			d.cause = fmt.Sprintf("a weight of %s is recorded, and the configuration gives %s", quantity.Number(d.weight, 3), quantity.Number(r.Weight, 3))
		case s.StrongDetail == core.PerResource && math.Abs(s.StrongShare[k]-r.StrongShare[k]) > x.slacks.Epsilon:
			d.aspect, d.fresh = "strong_guarantee", !d.had || s.StrongShare != d.previous.StrongShare
			d.cause = fmt.Sprintf("a strong guarantee of %s is recorded, and the configuration gives %s",
				quantity.Share(s.StrongShare[k]), quantity.Share(r.StrongShare[k]))
		case s.Limits.Set && x.limitsDiffer(s.Limits.Value, r.Limits):
			d.aspect, d.cause, d.fresh = "resource_limits", "the recorded limits are not those that the configuration gives", !d.had || s.Limits != d.previous.Limits
		}
		if d.cause != "" {
			d.undated, c.causes[d.view] = !x.isDated(d, &dated), d
		}
	}
}

// isDated reports whether the log dates the options that give an element another input than the recorded one.
func (x *recomputation) isDated(d *shareComparison, options *core.DatedOptions) bool {
	switch {
	case d.element != tables.ElementPool:
		return false
	case d.aspect == "weight":
		return options.OfWeight(d.number)
	case d.aspect == "strong_guarantee":
		recorded, given := d.state.StrongShare, d.result.StrongShare
		for k := range recorded {
			if math.Abs(recorded[k]-given[k]) > x.slacks.Epsilon && options.OfGuarantee(d.number, resource.Kind(k)) {
				return true
			}
		}
		return false
	}
	return options.OfPool(d.number)
}

// limitsDiffer reports whether a recorded limit within the tree's total is not the expected one.
func (x *recomputation) limitsDiffer(recorded, expected resource.Vector) bool {
	for k, total := range x.total {
		a, b := min(recorded[k], total), min(expected[k], total)
		if float64(max(a-b, b-a)) > x.slacks.OnUsage*float64(total) {
			return true
		}
	}
	return false
}

// useRecorded judges the shares that disagree. They are recomputed with the recorded inputs in
// place of the configured ones: if that explains them, the scheduler used the recorded inputs.
func (x *recomputation) useRecorded() {
	c := &x.comparisons
	other := recomputation{Snapshots: x.Snapshots, missing: noRecords, order: x.order, causes: c.causes, buffers: &c.replays}
	if len(c.causes) > 0 {
		other.missing = inputsComplete
		other.rebuild()
	}
	x.sumUpChildren()
	for i := range c.all {
		d := &c.all[i]
		record := judge.DerivedShare{
			Context: x.derivationContext(), Recorded: d.found.Recorded, Expected: d.found.Recomputed, Resource: d.found.Resource.Value, Apart: d.apart,
		}
		if d.apart {
			explained := other.explains(d)
			switch {
			case explained && d.cause == "", x.followsAbove(d):
				continue // another element has the cause
			case explained && d.fresh:
				record.Context.Missing = judge.Configuration
			case explained:
				record.Cause, record.Undated = d.cause, d.undated
			default:
				record.Cause, record.Unexplained, record.Unordered = d.cause, true, x.orderMatters
			}
		}
		x.ruleDerivation(d, record)
	}
}

// explains reports whether the recomputation gives an element its recorded share.
func (x *recomputation) explains(d *shareComparison) bool {
	if x.missing != inputsComplete {
		return false
	}
	var result *fairshare.Result
	if d.element == tables.ElementPool {
		result = x.poolResult(d.number)
	} else if slot, ok := x.Core.OperationOf(d.operation.Value); ok {
		result = x.operationResult(slot)
	}
	found, told := differenceOf(d.view, result)
	return told && found.Error <= x.slacks.Epsilon
}

// sumUpChildren sums up the comparisons of the children of each pool.
func (x *recomputation) sumUpChildren() {
	c := &x.comparisons
	c.byPool = append(c.byPool[:0], make([]childComparisons, len(x.Snapshots.pools)+1)...)
	for i := range c.all {
		d := &c.all[i]
		if d.element == tables.ElementPool {
			c.byPool[d.number+1].apart = d.apart
		}
		siblings := &c.byPool[d.above+1]
		siblings.caused = siblings.caused || d.cause != "" && d.apart
		siblings.worst = max(siblings.worst, d.found.Error)
	}
}

// followsAbove reports whether the share of the pool above differs as well, or that of a sibling by more, or for a
// cause.
func (x *recomputation) followsAbove(d *shareComparison) bool {
	siblings := &x.comparisons.byPool[d.above+1]
	return d.cause == "" && (siblings.apart || siblings.caused || siblings.worst > d.found.Error)
}

// differsFrom reports whether a recorded element has another share in another recomputation.
func (x *recomputation) differsFrom(other *recomputation) bool {
	differ := func(a, b *fairshare.Result) bool {
		if a == nil || b == nil {
			return a != b
		}
		k := farthest(a.FairShare.Total, b.FairShare.Total)
		return math.Abs(a.FairShare.Total[k]-b.FairShare.Total[k]) > x.slacks.Epsilon
	}
	return slices.ContainsFunc(x.seenPools, func(slot int32) bool { return differ(x.poolResult(slot), other.poolResult(slot)) }) ||
		slices.ContainsFunc(x.seenOps, func(slot int32) bool { return differ(x.operationResult(slot), other.operationResult(slot)) })
}

func (x *recomputation) ruleDerivation(d *shareComparison, record judge.DerivedShare) {
	x.rule(d.about, d.aspect, record.Judge(x.rulings[:0]))
}

// override replaces the settings of an element by the recorded inputs that are not the configured ones.
func (x *recomputation) override(settings *fairshare.Settings, v *view) {
	d := x.causes[v]
	if d == nil {
		return
	}
	switch d.aspect {
	case "weight":
		settings.Weight = fairshare.Some(d.weight)
	case "strong_guarantee":
		settings.StrongGuarantee = resource.Partial{}
		for k, share := range d.state.StrongShare {
			settings.StrongGuarantee.Set[k] = true
			settings.StrongGuarantee.Amounts[k] = int64(math.Round(share * float64(x.total[k])))
		}
	case "resource_limits":
		settings.ResourceLimits, settings.MaxShareRatio = resource.Partial{Amounts: d.state.Limits.Value}, fairshare.Optional{}
		for k := range settings.ResourceLimits.Set {
			settings.ResourceLimits.Set[k] = d.state.Limits.Value[k] < x.total[k]
		}
	}
}
