package scheduling

import "poolproof/core/resource"

// A Status is how an element starves (core/spec/scheduling.md §7.3). The constants
// are ordered: the stronger is the greater.
type Status uint8

// The statuses.
const (
	NonStarving Status = iota
	Starving
	AggressivelyStarving
)

var statusNames = [...]string{"non_starving", "starving", "aggressively_starving"}

func (s Status) String() string { return statusNames[s] }

// ParseStatus returns the status of a word.
func ParseStatus(word string) (Status, bool) {
	for s, name := range statusNames {
		if name == word {
			return Status(s), true
		}
	}
	return NonStarving, false
}

// A Kind is what an element starves for (§17.2).
type Kind uint8

// The kinds.
const (
	Nothing Kind = iota
	MinShare
	FairShare
)

var kindNames = [...]string{"", "min_share", "fair_share"}

func (k Kind) String() string { return kindNames[k] }

// Never is the time of what did not happen.
const Never = int64(-1) << 62

// A Clock is the state machine of one kind of starvation (§7.3). Its zero
// value dates from the epoch: use NewClock.
type Clock struct {
	Since  int64 // microseconds; Never = not below
	Status Status
}

// NewClock returns the clock of an element that has just been enabled.
func NewClock() Clock { return Clock{Since: Never} }

// Timeouts are how long an element stays below its share before it starves, in
// microseconds. Aggressive counts only where AggressiveEnabled is set.
type Timeouts struct {
	Starving, Aggressive int64
	AggressiveEnabled    bool
}

// Tick moves the clock to now, given whether the element is below its share.
// Recovery is immediate; a timeout has passed when it is strictly exceeded.
func (c *Clock) Tick(now int64, below bool, t Timeouts) {
	switch {
	case !below:
		c.Since, c.Status = Never, NonStarving
	case c.Since == Never:
		c.Since = now
	case t.AggressiveEnabled && now > c.Since+t.Aggressive:
		c.Status = AggressivelyStarving
	case now > c.Since+t.Starving:
		c.Status = Starving
	}
}

// deadline is when the clock would move by itself, Never if it would not.
func (c *Clock) deadline(t Timeouts) int64 {
	next := Never
	if c.Since == Never {
		return next
	}
	if c.Status == NonStarving {
		next = c.Since + t.Starving + 1
	}
	if at := c.Since + t.Aggressive + 1; t.AggressiveEnabled && c.Status != AggressivelyStarving && (next == Never || at < next) {
		next = at
	}
	return next
}

// ScaleByPendingJobs shortens the timeouts of an operation that waits for few
// jobs (§7.2, §17.2).
func ScaleByPendingJobs(timeout, pendingJobs int64, coefficient float64) int64 {
	if k := float64(pendingJobs) / coefficient; k < 1 {
		return int64(float64(timeout) * k)
	}
	return timeout
}

// A Starvation is the starvation of one element: of both kinds in the profile
// Documented, of the fair share alone in Baseline and Current. In Legacy both
// kinds share the clock FairShare, and Kind says which it counts.
type Starvation struct {
	FairShare, MinShare Clock
	legacyKind          Kind

	// Untold is set of a pool that stands still since before the log began: how it
	// starves is not known (§7.4).
	Untold bool
}

func newStarvation() Starvation { return Starvation{FairShare: NewClock(), MinShare: NewClock()} }

// IsBelow reports whether the last tick found the element below one of its shares.
func (h *Starvation) IsBelow() bool { return h.FairShare.Since != Never || h.MinShare.Since != Never }

// Status is the stronger of the two.
func (h *Starvation) Status() Status { return max(h.FairShare.Status, h.MinShare.Status) }

// Of is the clock of one kind, as if the other did not exist: one that does not run
// where the kind is not known, or where in Legacy the one clock counts the other.
func (h *Starvation) Of(k Kind) Clock {
	switch {
	case h.legacyKind != Nothing && h.legacyKind != k:
		return NewClock()
	case k == MinShare && h.legacyKind == Nothing:
		return h.MinShare
	}
	return h.FairShare
}

// turnedSince reports whether the status of either kind is not what it was before.
func (h *Starvation) turnedSince(before *Starvation) bool {
	return h.Of(MinShare).Status != before.Of(MinShare).Status || h.Of(FairShare).Status != before.Of(FairShare).Status
}

// For says what the element starves for: the min share first (§17.2).
func (h *Starvation) For() Kind {
	switch {
	case h.MinShare.Status == Starving:
		return MinShare
	case h.FairShare.Status == NonStarving:
		return Nothing
	case h.legacyKind != Nothing:
		return h.legacyKind
	}
	return FairShare
}

// StartAt has the clocks start at other moments than they did, with the statuses that follow
// from that now.
func (h *Starvation) StartAt(fairShare, minShare, now int64, fair Timeouts, minShareTimeout int64) {
	fair = h.ofKind(fair, minShareTimeout)
	h.FairShare.startAt(fairShare, now, fair)
	h.MinShare.startAt(minShare, now, Timeouts{Starving: minShareTimeout})
}

// Hasten has the clocks that run wait for other timeouts.
func (h *Starvation) Hasten(now int64, fair Timeouts, minShareTimeout int64) {
	h.FairShare.hasten(now, h.ofKind(fair, minShareTimeout))
	h.MinShare.hasten(now, Timeouts{Starving: minShareTimeout})
}

func (c *Clock) hasten(now int64, t Timeouts) {
	if c.Since != Never {
		c.Tick(now, true, t)
	}
}

// ofKind is what the clock of the fair share waits for: in Legacy it is the only one (§7.6).
func (h *Starvation) ofKind(fair Timeouts, minShareTimeout int64) Timeouts {
	switch h.legacyKind {
	case MinShare:
		return Timeouts{Starving: minShareTimeout}
	case FairShare:
		return Timeouts{Starving: fair.Starving}
	}
	return fair
}

func (c *Clock) startAt(since, now int64, t Timeouts) {
	if since != c.Since {
		*c = Clock{Since: since}
		c.Tick(now, since != Never, t)
	}
}

// Since is when the element began to be below a share, of those that it is below now.
func (h *Starvation) Since() (at int64, below bool) {
	at = h.FairShare.Since
	if other := h.MinShare.Since; at == Never || other != Never && other < at {
		at = other
	}
	return at, at != Never
}

// deadline is when one of the clocks would move by itself, Never if none would.
// The one clock of Legacy is taken to count the shorter timeout.
func (h *Starvation) deadline(fair Timeouts, minShare int64) int64 {
	if h.legacyKind == MinShare {
		fair.Starving = minShare
	}
	next := h.FairShare.deadline(fair)
	if at := h.MinShare.deadline(Timeouts{Starving: minShare}); at != Never && (next == Never || at < next) {
		next = at
	}
	return next
}

// shares are the numbers of one update that starvation looks at.
type shares struct{ fair, demand, usage, guarantee resource.Share }

// tick moves the clocks of an element (§7.1, §7.6, §17.2). An element that
// takes no part is never below.
func (h *Starvation) tick(now int64, p Profile, s *shares, takesPart bool, tolerance float64, fair Timeouts, minShare int64) {
	h.Untold = false
	switch p {
	case Legacy:
		kind := Nothing
		if takesPart {
			kind = LegacyStatus(s.usage.Dominant(), s.fair.Dominant(), s.demand.Dominant(), s.guarantee.Dominant(), tolerance)
		}
		h.TickLegacy(now, kind, fair.Starving, minShare)
	case Documented:
		h.FairShare.Tick(now, takesPart && BelowShare(s.fair, s.demand, s.usage, s.fair.Scale(tolerance)), fair)
		h.MinShare.Tick(now, takesPart && BelowShare(s.fair, s.demand, s.usage, s.guarantee), Timeouts{Starving: minShare})
	default:
		h.FairShare.Tick(now, takesPart && BelowShare(s.fair, s.demand, s.usage, s.fair.Scale(tolerance)), fair)
	}
}

// LegacyStatus says below which share an element is, by the ratios of its
// dominant resource; Nothing if below none (§7.6).
func LegacyStatus(usage, fairShare, demand, minShare, tolerance float64) Kind {
	if demand < fairShare+precision {
		tolerance = 1
	}
	switch {
	case usage > fairShare*tolerance-precision:
		return Nothing
	case usage < minShare:
		return MinShare
	}
	return FairShare
}

// TickLegacy moves the one clock that both kinds share in the profile Legacy.
func (h *Starvation) TickLegacy(now int64, below Kind, fairShareTimeout, minShareTimeout int64) {
	timeout := fairShareTimeout
	if below == MinShare {
		timeout = minShareTimeout
	}
	h.legacyKind = below
	h.FairShare.Tick(now, below != Nothing, Timeouts{Starving: timeout})
}
