// Package chain keeps lists of members with small numbers, such as the jobs of a node. Adding and
// removing take constant time and allocate nothing. Walking a list reads the neighbours alone,
// which lie close together, and what the caller asks of the members.
package chain

import (
	"iter"
	"slices"
)

// none stands for a missing member.
const none = -1

// A List holds members in the order in which they were added. New makes an empty one.
type List[M ~int32] struct {
	First, Last M // none if it is empty
}

// New returns an empty list.
func New[M ~int32]() List[M] { return List[M]{none, none} }

// Links are the neighbours of all members of lists of one kind. A member is in one of them at
// most.
type Links[M ~int32] struct{ of []neighbours[M] }

type neighbours[M ~int32] struct{ before, after M }

// Clone returns links that change apart from these.
func (l *Links[M]) Clone() Links[M] { return Links[M]{slices.Clone(l.of)} }

// Add puts a member that is in no list at the end of one.
func (l *Links[M]) Add(to *List[M], m M) {
	for int(m) >= len(l.of) {
		l.of = append(l.of, neighbours[M]{none, none})
	}
	l.of[m] = neighbours[M]{to.Last, none}
	if to.Last == none {
		to.First = m
	} else {
		l.of[to.Last].after = m
	}
	to.Last = m
}

// Remove takes a member out of the list that holds it. Its neighbours can still be asked for
// until it is added again.
func (l *Links[M]) Remove(from *List[M], m M) {
	at := l.of[m]
	if at.before == none {
		from.First = at.after
	} else {
		l.of[at.before].after = at.after
	}
	if at.after == none {
		from.Last = at.before
	} else {
		l.of[at.after].before = at.before
	}
}

// Before returns the member before another one, none if that is the first.
func (l *Links[M]) Before(m M) M { return l.of[m].before }

// After returns the member after another one, none if that is the last.
func (l *Links[M]) After(m M) M { return l.of[m].after }

// All yields the members of a list from its first on. The one that was yielded last
// may be removed, no others.
func (l *Links[M]) All(of List[M]) iter.Seq[M] {
	return func(yield func(M) bool) {
		for m := of.First; m != none; {
			after := l.of[m].after
			if !yield(m) {
				return
			}
			m = after
		}
	}
}
