package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// tagTotals holds the total resources of the nodes that each filter matches.
type tagTotals struct {
	tags         *pooltree.TagTotals
	staleTags    bool // totals may have changed
	tagsInactive bool // totals do not apply yet
}

// tagFilter is the operation's own scheduling_tag_filter.
func (o *Operation) tagFilter() pooltree.Formula {
	if o.Params.TagFilter == nil {
		return pooltree.Formula{}
	}
	return *o.Params.TagFilter
}

// filterOf returns the filter whose total limits an element; it matches all nodes if
// enable_scheduling_tags is off.
func (t *Tree) filterOf(f pooltree.Formula) pooltree.Filter {
	if f.IsEmpty() || !t.config.EnableSchedulingTags.Or(true) {
		return 0
	}
	return t.tags.Filter(f)
}

// refilter replaces the filter of an element and reports whether it is another.
func (t *Tree) refilter(own *pooltree.Filter, f pooltree.Formula) bool {
	before := *own
	*own = t.filterOf(f)
	t.tags.Drop(before)
	return *own != before
}

// refilterOperations applies the option enable_scheduling_tags.
func (t *Tree) refilterOperations() {
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && t.refilter(&o.filter, o.tagFilter()) {
			t.refiltered = true
			t.pushOperation(int32(slot))
		}
	}
}

// tagLimits returns the resources of the nodes that a filter matches; empty without a filter and
// while totals by tag do not apply.
func (t *tagTotals) tagLimits(f pooltree.Filter) (limits resource.Partial) {
	if f == 0 || t.tagsInactive {
		return limits
	}
	limits.Amounts = t.tags.Total(f)
	for k := range limits.Set {
		limits.Set[k] = true
	}
	return limits
}

// tagsCountFrom returns when totals by tag begin to apply: some time after the scheduler started,
// because before that not all nodes have reported (core/spec/scheduling.md §11.1). ok is false in a
// log whose scheduler ran before it began.
func (t *Tree) tagsCountFrom() (at Time, ok bool) {
	_, wait := t.config.TagTotalsWait(t.profile)
	return t.restarted + Time(wait)*1000, t.restarted != Never
}

// MayHaveTagTotals reports whether totals by tag may apply already, although they do not here.
func (t *Tree) MayHaveTagTotals(now Time) bool {
	wait, _ := t.config.TagTotalsWait(t.profile)
	return t.tagsInactive && now >= t.restarted+Time(wait)*1000
}

// pushTags passes on totals by tag that may have changed, or that begin or cease to apply.
func (t *Tree) pushTags(now Time) {
	at, restarted := t.tagsCountFrom()
	if deaf := restarted && now < at; deaf != t.tagsInactive {
		t.tagsInactive, t.staleTags = deaf, true
	}
	if !t.staleTags {
		return
	}
	t.staleTags = false
	for slot := range t.pools {
		if p := &t.pools[slot]; p.exists && p.filter != 0 {
			t.shares.SetPool(p.Element, t.sharePool(p))
		}
	}
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.enabled && o.filter != 0 {
			t.shares.SetOperation(o.Element, t.shareOperation(o))
		}
	}
}

// admits reports whether the tag filters of an operation and of all its pools
// match a node's tags (core/spec/scheduling.md §2.2).
func (t *Tree) admits(e fairshare.Element, n scheduling.Node) bool {
	_, operation := t.owner(e)
	return t.Admits(operation, int32(n))
}

// Admits reports whether a node's tags let it serve an operation: its own filter and those of all
// its pools match (core/spec/scheduling.md §2.2). Unrecorded tags exclude nothing.
func (t *Tree) Admits(operation, node int32) bool {
	if !t.config.EnableSchedulingTags.Or(true) || t.nodes[node].Undescribed {
		return true
	}
	o, tags := &t.operations[operation], t.nodes[node].Tags
	if !o.tagFilter().Match(tags) {
		return false
	}
	for p := o.Pool; p > 0; p = t.pools[p].Parent {
		if !t.pools[p].Config.TagFilter.Match(tags) {
			return false
		}
	}
	return true
}
