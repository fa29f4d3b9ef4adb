// Package fairshare computes the fair shares of a pool tree: how much of the
// tree each pool and operation is owed, out of its strong guarantee, its
// integral guarantee, and by weight. The contract is spec/fair-share.md, whose
// sections the comments cite as §n.
//
// # Use
//
// A Tree holds configuration, usage and demand. Callers change it through
// AddPool, SetUsage and the like, call Update, and read Result:
//
//	t := fairshare.New(fairshare.Options{MainResource: resource.CPU})
//	t.SetTotal(total)
//	pool := t.AddPool(fairshare.Root, fairshare.Pool{})
//	op := t.AddOperation(pool, fairshare.Operation{})
//	t.SetDemand(op, demand)
//	err := t.Update(now, previous)
//	share := t.Result(op).FairShare.Total
package fairshare
