// Package fairshare computes the fair shares of a pool tree: how much of the
// tree each pool and operation is entitled to, by its strong guarantee, its
// integral guarantee and its weight. The contract is core/spec/fair-share.md, whose
// sections the comments cite as §n.
//
// # Use
//
// A Tree holds configuration, usage and demand. Callers change it through
// AddPool, SetUsage and the like, call Update, and read Result and Changed:
//
//	t := fairshare.New(fairshare.Options{MainResource: resource.CPU})
//	t.SetTotal(total)
//	pool := t.AddPool(fairshare.Root, fairshare.Pool{})
//	op := t.AddOperation(pool, fairshare.Operation{})
//	t.SetDemand(op, demand)
//	err := t.Update(now, previous)
//	share := t.Result(op).FairShare.Total
//
// The tree keeps what an update needs beyond the configuration: volumes, the
// share ratios granted last, historic usage. Update refuses an input without
// computable shares by a RefusedError that names element and rule; results
// then stay those of the last good update.
//
// The package decides nothing about jobs, and knows no names: elements are
// numbers. It has no clock either: the caller says what time it is.
//
// # The algorithm
//
// Think of one resource first. Every child of a pool is offered a suggestion,
// a share beyond its guarantee, in proportion to its weight, and all
// suggestions grow together until the pool's own share is used up. How far
// they have grown is the pool's fit factor. What a child makes of a suggestion
// s is its function S(s): more and more, until its demand or its limit is met.
// What the pool's children make of a fit factor f is the sum F(f) of their S.
//
// With several resources F and S are vectors, and the pool must stop as soon
// as one component of F has reached what the pool was suggested: S(s) is F at
// the fit factor M(s) where the first component of F exceeds the guarantee by
// s, or reaches the limit. So an update goes up the tree, from the functions of
// the children to that of the parent, and then down: the root is suggested
// everything, M says how far its fit factor goes, this says what each child is
// suggested, and so on.
//
// An operation's F is given: at first it regains what it uses already, all
// kinds at one speed, then its missing demand grows in proportion (§7.2). A
// FIFO pool's F is its children's S one after the other (§7.3).
//
// All functions are piecewise linear and do not decrease. They may jump, where
// the component that held an element back has all it demands and the others
// leap forward; a share is then the value before the jump (§7.5).
//
// Before that, guarantees are inferred and scaled (guarantees.go,
// overcommit.go), what is promised is divided (weights.go), and volumes flow
// (volumes.go). Integral guarantees ask what a pool could use of them, which
// takes the functions of its subtree once more (integral.go).
//
// # The construction
//
// A function is a plot, a list of points (plot.go). F is a sum of plots, added
// in pairs (sum.go). S is made of F in one walk (sweep.go, bend.go): with h(f)
// the most by which a component of F exceeds its guarantee, S is the plot of F
// with h(f) in place of f (§7.11). Only kinds that the tree has take part. Small
// trees take the longer way (see Rounding).
//
// # Rounding
//
// Decisions compare shares of usage with fair shares, and in small trees both are
// often the same fraction. The decision then depends on the last bit, so in trees of
// up to 64 elements that bit is the reference's: their plots are literal, built in
// its steps and with its points (literal.go, knot.go, compose.go, compress.go). F is
// summed over the children in their order; M is the minimum of the inverses of its
// components, one joined after the other, each step with points at all abscissas of
// both; S is F at every point of M and M at every point of F; then points within straight
// lines are removed. A fit factor is read from M, not from S.
//
// The direct construction leaves out points within straight pieces, from which the
// reference interpolates, so that its values are an ulp or so away. What both share: values lie between two points as §7.9 says; a
// weight divides abscissas and multiplies fit factors as its ratio to the least one;
// the few children of a pool are added in order; nothing is snapped to a limit (§8.2
// leaves that free), but where F meets one the fit factor is found first.
//
// # Updates after few changes
//
// Every change sets flags of what depends on it (mark.go), and an update
// follows the flags: its cost is that of what changed, of the paths above, and
// of the results that change with it. In addition plots that are not literal are
// built only in a window around where the last update had the solution (window.go). Neither
// shows: the result is, bit for bit, that of a full update of the same state.
// For this all sums are taken in an order that depends on the state alone, and
// a plot has the same points within its window as throughout.
//
// Amounts are whole numbers, so that sums over a subtree are kept by adding
// differences, exactly.
package fairshare
