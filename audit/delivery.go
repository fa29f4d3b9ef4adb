package audit

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"poolproof/core/quantity"
)

// A Delivery is the part of a demanded guarantee that a pool did not get, whatever the cause:
// grades and findings say whether a rule was broken, a Delivery what the pool lacked.
type Delivery struct {
	Below    float64  `json:"below_s"`         // for how long usage was below what was guaranteed and demanded
	Episodes int      `json:"episodes"`        // how many stretches of that began while the promise was in force
	Longest  float64  `json:"longest_below_s"` // the longest of them, whole also where the guarantee was changed in it
	Allowed  *float64 `json:"allowed_s"`       // how long one may last, sla_s of the policy; nil where no audit judges it
	Share    float64  `json:"lacked_share_s"`  // what was lacking, share·s of the resource that lacked most
	Lacked   *float64 `json:"lacked"`          // the same in Unit; nil where the size of the tree is not known
	Unit     string   `json:"lacked_unit"`     // core·h, GiB·h, ...
	Most     *float64 `json:"most_lacked"`     // the greatest gap, in MostUnit
	MostUnit string   `json:"most_lacked_unit"`
	Excused  float64  `json:"excused_s"` // the part of Below that is excused
	Excuse   string   `json:"excuse"`    // why, the longest first, with the time of each; empty if nothing is excused
}

// TooLong reports whether a stretch below the guarantee was longer than is allowed.
func (d *Delivery) TooLong() bool { return d != nil && d.Allowed != nil && d.Longest > *d.Allowed }

// Notable reports whether the guarantee was unmet for longer than one stretch may be, all of
// them together.
func (d *Delivery) Notable() bool {
	return d != nil && d.Below > 0 && (d.Allowed == nil || d.Below > *d.Allowed)
}

// A shortfall is a span in which a pool had less than it was guaranteed and demanded: a row of the
// view guarantee_shortfalls.
type shortfall struct {
	stretch
	share        float64 // share·s
	amount, most sql.NullFloat64
	unit         sql.NullString
	excuse       sql.NullString // why the guarantee was not in force; null where it was
}

// A guaranteed identifies a pool with a guarantee; kind is that of the promise.
type guaranteed struct{ tree, kind, pool string }

const askShortfalls = `
SELECT tree, kind, pool, from_time, to_time, lacked, amount, most, unit, excuse
FROM internal.guarantee_shortfalls
ORDER BY tree, pool, kind, from_time, to_time, excuse NULLS FIRST`

func readShortfalls(ctx context.Context, db *sql.DB) (map[guaranteed][]shortfall, error) {
	rows, err := db.QueryContext(ctx, askShortfalls)
	if err != nil {
		return nil, fmt.Errorf("read what pools lacked of their guarantees: %w", err)
	}
	defer rows.Close()
	all := map[guaranteed][]shortfall{}
	for rows.Next() {
		var of guaranteed
		var l shortfall
		err := rows.Scan(&of.tree, &of.kind, &of.pool, &l.from, &l.to, &l.share, &l.amount, &l.most, &l.unit, &l.excuse)
		if err != nil {
			return nil, fmt.Errorf("read what pools lacked of their guarantees: %w", err)
		}
		all[of] = append(all[of], l)
	}
	return all, rows.Err()
}

// A shortage is the undelivered part of a guarantee while it was in force, in the hours of an SLA
// if there is one.
type shortage struct {
	below, excused []stretch
	whole          []stretch            // below, without a cut where the promise came into force or was changed
	reasons        map[string][]stretch // of excused, by the reason
	share          float64
	amounts, most  map[string]float64 // by unit; amounts times seconds
	shares         map[string]float64 // by unit
}

func (s *shortage) excuse(reason string, of []stretch) {
	if len(of) > 0 {
		s.excused = append(s.excused, of...)
		s.reasons[reason] = append(s.reasons[reason], of...)
	}
}

// shortage sums up the shortfalls of a promise and what excuses them: that the guarantee was not in
// force, or a finding about it that is excused.
func (t *promiseTerm) shortage(charges []charge, held heldHours) *shortage {
	audit := unmetAudits[t.Kind]
	s := &shortage{
		reasons: map[string][]stretch{},
		amounts: map[string]float64{}, most: map[string]float64{}, shares: map[string]float64{},
	}
	if audit == "" {
		return s
	}
	hours := held(t.Tree, t.Subject, audit)
	for _, l := range t.shortfalls {
		s.whole = append(s.whole, hours.within(l.stretch)...)
		parts := hours.within(t.clip(l.stretch))
		for _, part := range parts {
			of := part.long().Seconds() / l.long().Seconds()
			s.share += of * l.share
			s.shares[l.unit.String] += of * l.share
			if l.amount.Valid {
				s.amounts[l.unit.String] += of * l.amount.Float64
				s.most[l.unit.String] = max(s.most[l.unit.String], l.most.Float64)
			}
		}
		s.below = append(s.below, parts...)
		if l.excuse.Valid {
			s.excuse(l.excuse.String, parts)
		}
	}
	for _, c := range charges {
		if c.verdict == Excused && c.Audit == audit && c.subject == t.Subject && c.From != nil && c.To != nil {
			s.excuse(c.Excuse, hours.within(t.clip(stretch{*c.From, *c.To})))
		}
	}
	return s
}

// delivery says what the promise lacked; nil if it is not one of a guarantee.
func (t *promiseTerm) delivery(s *shortage) *Delivery {
	if unmetAudits[t.Kind] == "" {
		return nil
	}
	d := &Delivery{Allowed: t.allowed, Share: s.share}
	d.Below = union(slices.Clone(s.below)).Seconds()
	for _, one := range joined(s.whole) {
		if t.clip(one).long() == 0 {
			continue
		}
		d.Longest = max(d.Longest, one.long().Seconds())
		if t.From == nil || !one.from.Before(*t.From) {
			d.Episodes++
		}
	}
	d.Excused = min(union(slices.Clone(s.excused)).Seconds(), d.Below)
	d.Excuse = s.excuseText()
	unit, greatest := "", -1.0
	for _, u := range slices.Sorted(maps.Keys(s.amounts)) {
		if s.shares[u] > greatest {
			unit, greatest = u, s.shares[u]
		}
	}
	if greatest >= 0 {
		lacked, most := s.amounts[unit]/3600, s.most[unit]
		d.Lacked, d.Unit, d.Most, d.MostUnit = &lacked, hourUnit(unit), &most, unit
	}
	return d
}

// hourUnit is a unit times an hour: cores, core·h.
func hourUnit(unit string) string { return strings.TrimSuffix(unit, "s") + "·h" }

// shownExcuses bounds the number of reasons that are listed for excused shortages.
const shownExcuses = 2

// excuseText names the reasons of what is excused, the longest first, with the time of each.
func (s *shortage) excuseText() string {
	type reason struct {
		text string
		long time.Duration
	}
	var all []reason
	for _, text := range slices.Sorted(maps.Keys(s.reasons)) {
		all = append(all, reason{text, union(s.reasons[text])})
	}
	slices.SortStableFunc(all, func(a, b reason) int { return cmp.Compare(b.long, a.long) })
	var parts []string
	for _, r := range all[:min(len(all), shownExcuses)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", r.text, spanText(r.long)))
	}
	if more := len(all) - shownExcuses; more > 0 {
		parts = append(parts, "and "+countText(more, "other excuse", "other excuses"))
	}
	return strings.Join(parts, "; ")
}

// joined are stretches in the order of time, those that overlap or touch in one.
func joined(all []stretch) (islands []stretch) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b stretch) int { return a.from.Compare(b.from) })
	for _, s := range all {
		if last := len(islands) - 1; last >= 0 && !s.from.After(islands[last].to.Add(time.Millisecond)) {
			if s.to.After(islands[last].to) {
				islands[last].to = s.to
			}
		} else if s.long() > 0 {
			islands = append(islands, s)
		}
	}
	return islands
}

// Text says how long and by how much the guarantee was unmet, without a full stop; empty if it
// never was: 15 min 52 s of 15 min 52 s in 4 stretches, 3 min 58 s at most where 5 min 00 s are
// allowed; lacked 1.06 core·h, 2.5 cores on average and 4 cores at most.
func (d *Delivery) Text(tested float64) string {
	if d == nil || d.Below <= 0 {
		return ""
	}
	text := quantity.Span(d.Below)
	if tested > 0 {
		text += " of " + quantity.Span(tested)
	}
	text += " in " + countText(d.Episodes, "stretch", "stretches")
	if d.Episodes > 1 {
		text += ", " + quantity.Span(d.Longest) + " at most"
	}
	if d.Allowed != nil {
		text += " where " + quantity.Span(*d.Allowed) + " are allowed"
	}
	if d.Lacked != nil && d.Most != nil {
		mean, most := quantity.Of(*d.Lacked*3600/d.Below, d.MostUnit), quantity.Of(*d.Most, d.MostUnit)
		text += fmt.Sprintf("; lacked %s, %s on average", quantity.Of(*d.Lacked, d.Unit), mean)
		if most != mean {
			text += " and " + most + " at most"
		}
	}
	return text
}

// known says what is known of a guarantee that no grade can tell: that it was unmet, and for how
// long. Empty if it was not for longer than is allowed.
func (t *promiseTerm) known() string {
	if !t.Delivery.TooLong() {
		return ""
	}
	return "It is known that it was unmet for " + t.Delivery.Text(t.Tested) + "."
}

// plus adds what another version of the promise lacked.
func (d *Delivery) plus(other *Delivery) *Delivery {
	if d == nil || other == nil {
		return cmp.Or(d, other)
	}
	sum := *d
	sum.Below, sum.Episodes, sum.Longest = d.Below+other.Below, d.Episodes+other.Episodes, max(d.Longest, other.Longest)
	sum.Share, sum.Excused = d.Share+other.Share, d.Excused+other.Excused
	if sum.Excuse = cmp.Or(d.Excuse, other.Excuse); d.Excuse != "" && other.Excuse != "" {
		sum.Excuse = d.Excuse + "; " + other.Excuse
	}
	if sum.Allowed == nil || other.Allowed != nil && *other.Allowed < *sum.Allowed {
		sum.Allowed = other.Allowed
	}
	switch {
	case other.Lacked == nil || other.Most == nil:
	case sum.Lacked == nil || sum.Most == nil || sum.Unit != other.Unit && other.Share > d.Share:
		sum.Lacked, sum.Unit, sum.Most, sum.MostUnit = other.Lacked, other.Unit, other.Most, other.MostUnit
	case sum.Unit == other.Unit:
		lacked, most := *d.Lacked+*other.Lacked, math.Max(*d.Most, *other.Most)
		sum.Lacked, sum.Most = &lacked, &most
	}
	return &sum
}
