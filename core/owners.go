package core

import "poolproof/core/fairshare"

// owners are the objects behind the elements of the fair share, by fairshare.Element.
type owners []owner

// An owner is the object behind an element of the fair share, by slot.
type owner struct{ pool, operation int32 }

// Owner returns the pool or the operation behind an element, Unknown what it is
// not; both are Unknown for an element that is gone.
func (t *Tree) Owner(e fairshare.Element) (PoolID, OperationID) {
	switch pool, operation := t.owner(e); {
	case operation != none && t.operations[operation].Alive && t.operations[operation].Element == e:
		return Unknown, t.operations[operation].ID
	case pool != none && t.pools[pool].Element == e:
		return t.pools[pool].ID, Unknown
	}
	return Unknown, Unknown
}

// own notes what is behind an element.
func (o *owners) own(e fairshare.Element, pool, operation int32) {
	for int(e) >= len(*o) {
		*o = append(*o, owner{none, none})
	}
	(*o)[e] = owner{pool, operation}
}

// owner returns the slot of what is behind an element, none for what it is not.
func (o owners) owner(e fairshare.Element) (pool, operation int32) {
	own := o[e]
	return own.pool, own.operation
}
