package scheduling

import "poolproof/core/resource"

// A Status is the starvation status of an element (core/spec/scheduling.md §7.3). The constants are
// ordered: the stronger is the greater.
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

// A Kind is a share that an element can be below (§17.2).
type Kind uint8

// The kinds.
const (
	Nothing Kind = iota
	MinShare
	FairShare
)

var kindNames = [...]string{"", "min_share", "fair_share"}

func (k Kind) String() string { return kindNames[k] }

// Never is the time of an event that did not happen.
const Never = int64(-1) << 62

// A Clock is the state machine of one kind of starvation (§7.3). Its zero
// value dates from the epoch: use NewClock.
type Clock struct {
	Since  int64 // microseconds; Never = not below
	Status Status
}

// NewClock returns the clock of an element that has just been enabled.
func NewClock() Clock { return Clock{Since: Never} }

// Timeouts are the times below its share after which an element starves, in microseconds.
// Aggressive counts only where AggressiveEnabled is set.
type Timeouts struct {
	Starving, Aggressive int64
	AggressiveEnabled    bool
}

// Tick moves the clock to now, given whether the element is below its share. Recovery is immediate;
// a timeout has passed when it is strictly exceeded. With a timeout of 30 s:
//
//	10:00:00  below       Since 10:00:00  non_starving
//	10:00:30  below       Since 10:00:00  non_starving
//	10:00:31  below       Since 10:00:00  starving
//	10:00:32  not below   Since Never     non_starving
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

// deadline returns when the status would change by itself, or Never.
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

// ScaleByPendingJobs shortens a timeout of an operation with few pending jobs (§7.2, §17.2).
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

	// Unknown says that the starvation of a pool has not been updated since before the log began
	// (§7.4).
	Unknown bool
}

func newStarvation() Starvation { return Starvation{FairShare: NewClock(), MinShare: NewClock()} }

// IsBelow reports whether the last tick found the element below one of its shares.
func (h *Starvation) IsBelow() bool { return h.FairShare.Since != Never || h.MinShare.Since != Never }

// Status returns the stronger of the two statuses.
func (h *Starvation) Status() Status { return max(h.FairShare.Status, h.MinShare.Status) }

// OfKind returns the clock of one kind. It is stopped if the kind does not exist in the profile or
// if the single clock of Legacy counts the other kind.
func (h *Starvation) OfKind(k Kind) Clock {
	switch {
	case h.legacyKind != Nothing && h.legacyKind != k:
		return NewClock()
	case k == MinShare && h.legacyKind == Nothing:
		return h.MinShare
	}
	return h.FairShare
}

// turnedSince reports whether the status of either kind changed.
func (h *Starvation) turnedSince(before *Starvation) bool {
	return h.OfKind(MinShare).Status != before.OfKind(MinShare).Status || h.OfKind(FairShare).Status != before.OfKind(FairShare).Status
}

// For returns the share for which the element starves: the min share first (§17.2).
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

// StartAt sets other start times of the clocks and the resulting statuses.
func (h *Starvation) StartAt(fairShare, minShare, now int64, fair Timeouts, minShareTimeout int64) {
	fair = h.ofKind(fair, minShareTimeout)
	h.FairShare.startAt(fairShare, now, fair)
	h.MinShare.startAt(minShare, now, Timeouts{Starving: minShareTimeout})
}

// ApplyTimeouts recomputes the statuses of running clocks with other timeouts.
func (h *Starvation) ApplyTimeouts(now int64, fair Timeouts, minShareTimeout int64) {
	h.FairShare.applyTimeouts(now, h.ofKind(fair, minShareTimeout))
	h.MinShare.applyTimeouts(now, Timeouts{Starving: minShareTimeout})
}

func (c *Clock) applyTimeouts(now int64, t Timeouts) {
	if c.Since != Never {
		c.Tick(now, true, t)
	}
}

// ofKind returns the timeouts of the fair share clock: in Legacy it is the only clock (§7.6).
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

// Since returns the earliest time from which the element has been below a share without
// interruption.
func (h *Starvation) Since() (at int64, below bool) {
	at = h.FairShare.Since
	if other := h.MinShare.Since; at == Never || other != Never && other < at {
		at = other
	}
	return at, at != Never
}

// deadline returns when a status would change by itself, or Never. For the single clock of Legacy
// it uses the shorter timeout.
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

// shares holds the inputs of starvation from one update.
type shares struct{ fair, demand, usage, guarantee resource.Share }

// tick moves the clocks of an element (§7.1, §7.6, §17.2). An element that does not take part is
// never below.
func (h *Starvation) tick(now int64, p Profile, s *shares, takesPart bool, tolerance float64, fair Timeouts, minShare int64) {
	h.Unknown = false
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

// LegacyStatus returns the share that an element is below, by the ratios of its dominant resource,
// or Nothing (§7.6).
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

// TickLegacy moves the single clock of the profile Legacy.
func (h *Starvation) TickLegacy(now int64, below Kind, fairShareTimeout, minShareTimeout int64) {
	timeout := fairShareTimeout
	if below == MinShare {
		timeout = minShareTimeout
	}
	h.legacyKind = below
	h.FairShare.Tick(now, below != Nothing, Timeouts{Starving: timeout})
}
