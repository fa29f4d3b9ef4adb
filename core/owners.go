package core

import "poolproof/core/fairshare"

// owners maps elements of the fair share to pools and operations, by fairshare.Element.
type owners []owner

// An owner is the pool or the operation of an element, by slot.
type owner struct{ pool, operation int32 }

// Owner returns the pool or the operation of an element; the other id is Unknown. Both are Unknown
// for an element that was removed.
func (t *Tree) Owner(e fairshare.Element) (PoolID, OperationID) {
	switch pool, operation := t.owner(e); {
	case operation != none && t.operations[operation].Alive && t.operations[operation].Element == e:
		return Unknown, t.operations[operation].ID
	case pool != none && t.pools[pool].Element == e:
		return t.pools[pool].ID, Unknown
	}
	return Unknown, Unknown
}

// setOwner sets the pool or operation of an element.
func (o *owners) setOwner(e fairshare.Element, pool, operation int32) {
	for int(e) >= len(*o) {
		*o = append(*o, owner{none, none})
	}
	(*o)[e] = owner{pool, operation}
}

// owner returns the slot of the pool or operation of an element; the other result equals none.
func (o owners) owner(e fairshare.Element) (pool, operation int32) {
	own := o[e]
	return own.pool, own.operation
}
