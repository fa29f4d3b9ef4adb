package core

// Children returns how many existing pools the pool counts below it.
func (p *Pool) Children() int { return p.children }

// Waiting returns the slots of the operations that wait in a FIFO pool, in its order.
func (p *Pool) Waiting() []int32 { return p.waiting }
