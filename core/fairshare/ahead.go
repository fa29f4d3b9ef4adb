package fairshare

import "poolproof/core/prefetch"

// ahead is the number of elements that are prefetched together, so that their cache misses overlap.
const ahead = 8

// atBatch reports whether the i-th of some elements begins a batch of those to prefetch.
func atBatch(i int) bool { return i%ahead == 0 }

// batch returns the elements of the batch that begins with the i-th.
func batch(elements []Element, i int) []Element { return elements[i:min(i+ahead, len(elements))] }

// prefetchNodes prefetches what building plots reads of the elements from the i-th on.
func (t *Tree) prefetchNodes(elements []Element, i int) {
	if !atBatch(i) {
		return
	}
	for _, e := range batch(elements, i) {
		prefetch.Fields(&t.nodes[e].parent, &t.nodes[e].limitsShare)
	}
}

// prefetchResults prefetches what publishing shares reads of the elements from the i-th on.
func (t *Tree) prefetchResults(elements []Element, i int) {
	if !atBatch(i) {
		return
	}
	for _, e := range batch(elements, i) {
		r := t.results[e]
		prefetch.Fields(&r.FairShare, &r.Schedulable)
	}
	for _, e := range batch(elements, i) {
		prefetch.Record(&t.given[mainShares][e])
		prefetch.Fields(&t.nodes[e].parent, &t.nodes[e].proposed)
	}
}

// prefetchPlots prefetches what distributing reads of the elements from the i-th on.
func (t *Tree) prefetchPlots(elements []Element, i int) {
	if !atBatch(i) {
		return
	}
	for _, e := range batch(elements, i) {
		prefetch.Record(&t.nodes[e].suggestion)
	}
	for _, e := range batch(elements, i) {
		if plot := t.nodes[e].suggestion; len(plot) > 0 {
			prefetch.Fields(&plot[0], &plot[min(len(plot), 8)-1])
		}
	}
}
