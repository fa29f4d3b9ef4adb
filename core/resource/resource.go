// Package resource holds the amounts and shares that a pool tree divides.
//
// An amount is an integer in its kind's own unit, so that sums are exact in
// any order; a share is an amount as a fraction of a tree's total, a double.
// The rules of rounding and conversion are those of core/spec/fair-share.md §1.
//
// Everything here is a pure function of values. Nothing allocates. What judging does
// most is written out kind by kind, which the compiler does not do for loops.
package resource

// A Kind is one of the five resources that a scheduler hands out. The order of
// the constants is the canonical order, which decides ties of the dominant
// resource (core/spec/fair-share.md §1.1, §1.5).
type Kind int

// The kinds in canonical order, with the unit of an amount of each.
const (
	UserSlots Kind = iota // concurrent jobs
	CPU                   // hundredths of a core
	GPU                   // devices
	Memory                // bytes
	Network               // abstract units

	Kinds = 5 // how many kinds there are
)

// kindNames are the config keys of the kinds (core/spec/fair-share.md §1.1).
var kindNames = [Kinds]string{"user_slots", "cpu", "gpu", "memory", "network"}

// String returns the config key of the kind, for example "user_slots".
func (k Kind) String() string { return kindNames[k] }

// ParseKind returns the kind with the given config key. It takes
// "user_memory", the key of published amounts, for memory as well.
func ParseKind(name string) (Kind, bool) {
	if name == "user_memory" {
		return Memory, true
	}
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// CentsPerCore is the number of units of the CPU kind in one core.
const CentsPerCore = 100

// Units say how many units of each kind make one of those that people read: a core, a device.
type Units [Kinds]float64

// UsualUnits are those of a log that counts GPUs in devices.
var UsualUnits = Units{UserSlots: 1, CPU: CentsPerCore, GPU: 1, Memory: 1, Network: 1}

// A Vector is an amount of every kind, each in its kind's unit.
type Vector [Kinds]int64

// A Share is a fraction of a tree's total for every kind.
type Share [Kinds]float64

// Add returns a + b.
func (a Vector) Add(b Vector) Vector {
	return Vector{a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]}
}

// Sub returns a - b.
func (a Vector) Sub(b Vector) Vector {
	return Vector{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4]}
}

// Min returns the smaller amount of each kind.
func (a Vector) Min(b Vector) Vector {
	for k := range a {
		a[k] = min(a[k], b[k])
	}
	return a
}

// Max returns the larger amount of each kind.
func (a Vector) Max(b Vector) Vector {
	for k := range a {
		a[k] = max(a[k], b[k])
	}
	return a
}

// IsZero reports whether every amount is zero.
func (a Vector) IsZero() bool { return a == Vector{} }

// FitsIn reports whether no amount of a exceeds that of b
// (core/spec/scheduling.md §1.2).
func (a Vector) FitsIn(b Vector) bool {
	for k := range a {
		if a[k] > b[k] {
			return false
		}
	}
	return true
}

// Real returns the amount of kind k as a real number in the kind's natural
// unit: cores for CPU, the stored integer for every other kind.
func (a Vector) Real(k Kind) float64 {
	if k == CPU {
		return float64(a[k]) / CentsPerCore
	}
	return float64(a[k])
}

// ShareOf returns a as a fraction of total. Where the total is zero the share
// is zero, whatever the amount (core/spec/fair-share.md §1.4).
func (a Vector) ShareOf(total Vector) Share {
	return Share{
		part(a[0], total[0], 1), part(a[1], total[1], CentsPerCore), part(a[2], total[2], 1),
		part(a[3], total[3], 1), part(a[4], total[4], 1),
	}
}

// part is an amount as a fraction of a total, both in an nth of the natural unit.
func part(amount, total int64, n float64) float64 {
	if total == 0 {
		return 0
	}
	return float64(amount) / n / (float64(total) / n)
}

// Dominant returns the largest component: the "ratio" of a share vector
// (core/spec/fair-share.md §1.5).
func (s Share) Dominant() float64 {
	return max(s[0], s[1], s[2], s[3], s[4])
}

// Min returns the smaller share of each kind.
func (s Share) Min(t Share) Share {
	for k := range s {
		s[k] = min(s[k], t[k])
	}
	return s
}

// A Partial is a vector of a configuration, in which a kind may be absent.
// Absent differs from zero: it means unlimited in a limit, and unset in a
// guarantee (core/spec/fair-share.md §1.3).
type Partial struct {
	Amounts Vector      // zero where not set
	Set     [Kinds]bool // which kinds the configuration names
}

// NodeMemory is a number of nodes with the same memory, in bytes.
type NodeMemory struct{ Memory, Count int64 }

// Unlimited is the amount that stands for "no limit" in every kind. It exceeds
// any real total (core/spec/fair-share.md §1.3).
var Unlimited = Vector{1 << 61, 1 << 61, 1 << 29, 1 << 61, 1 << 61}

// Or returns the amounts of p, with those of fallback where p has none.
func (p Partial) Or(fallback Vector) Vector {
	for k, set := range p.Set {
		if set {
			fallback[k] = p.Amounts[k]
		}
	}
	return fallback
}

// IsEmpty reports whether no kind is set.
func (p Partial) IsEmpty() bool { return p.Set == [Kinds]bool{} }
