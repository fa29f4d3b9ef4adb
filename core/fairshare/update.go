package fairshare

// Update computes the shares of all elements at the instant now, in
// microseconds. previous is the instant of the update before, or negative if
// there was none since the scheduler became active: nothing accrues then.
func (t *Tree) Update(now, previous int64) error { return nil }
