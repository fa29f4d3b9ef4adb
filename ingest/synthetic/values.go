package synthetic

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// A Duration is written like 90s, 5m or 1h30m.
type Duration core.Time

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf("invalid duration %q (want 90s, 5m or 1h30m)", b)
	}
	*d = Duration(v.Microseconds())
	return nil
}

func (d Duration) String() string { return (time.Duration(d) * time.Microsecond).String() }

// An Instant is written in ISO 8601.
type Instant core.Time

// UnmarshalText reads an instant.
func (i *Instant) UnmarshalText(b []byte) error {
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return fmt.Errorf("invalid time %q (want one like 2025-03-03T08:00:00Z)", b)
	}
	*i = Instant(t.UnixMicro())
	return nil
}

// An OrDescribed is a number from 1, or the word described: that of the description.
type OrDescribed int64

// UnmarshalText reads a number or the word.
func (n *OrDescribed) UnmarshalText(b []byte) error {
	if string(b) == "described" {
		*n = 0
		return nil
	}
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || v < 1 {
		return fmt.Errorf("invalid number %q (want 1 or more, or described)", b)
	}
	*n = OrDescribed(v)
	return nil
}

// Resources are amounts: cores of cpu, and memory in bytes or like 2GiB.
type Resources struct {
	UserSlots *int64   `yaml:"user_slots"`
	CPU       *float64 `yaml:"cpu"`
	GPU       int64    `yaml:"gpu"`
	Memory    Bytes    `yaml:"memory"`
	Network   int64    `yaml:"network"`
}

// complete gives a job what it takes if it does not say (core/spec/scheduling.md
// §17.1).
func (r *Resources) complete() {
	one, slot := 1.0, int64(1)
	if r.CPU == nil {
		r.CPU = &one
	}
	r.UserSlots = &slot
}

// vector returns the amounts; what is not named is zero.
func (r *Resources) vector() (v resource.Vector) {
	if r.UserSlots != nil {
		v[resource.UserSlots] = *r.UserSlots
	}
	if r.CPU != nil {
		v[resource.CPU] = int64(math.Round(*r.CPU * resource.CentsPerCore))
	}
	v[resource.GPU], v[resource.Memory], v[resource.Network] = r.GPU, int64(r.Memory), r.Network
	return v
}

// partial returns the amounts that are named.
func (r *Resources) partial() (p trace.PartialResources) {
	if r == nil {
		return p
	}
	v := trace.FromVector(r.vector())
	p.UserSlots = core.Optional[int64]{Value: v.UserSlots, Set: r.UserSlots != nil}
	p.CPUMilli = core.Optional[int64]{Value: v.CPUMilli, Set: r.CPU != nil}
	p.GPU = core.Optional[int32]{Value: v.GPU, Set: r.GPU != 0}
	p.Memory = core.Optional[int64]{Value: v.Memory, Set: r.Memory != 0}
	p.Network = core.Optional[int64]{Value: v.Network, Set: r.Network != 0}
	return p
}

// Bytes are a number of bytes, with or without a unit.
type Bytes int64

var units = []struct {
	name string
	size float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"PiB", 1 << 50}}

// UnmarshalText reads a number of bytes.
func (b *Bytes) UnmarshalText(text []byte) error {
	number, size := string(text), 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, size = strings.TrimSpace(n), u.size
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v < 0 || v*size > 1<<60 {
		return fmt.Errorf("invalid size %q (want one like 2GiB)", text)
	}
	*b = Bytes(v * size)
	return nil
}

// optional is an option of YAML as one of a trace.
func optional[T any](p *T) core.Optional[T] {
	if p == nil {
		return core.Optional[T]{}
	}
	return core.Some(*p)
}

// milliseconds is a duration as one of a trace.
func milliseconds(d *Duration) core.Optional[int64] {
	if d == nil {
		return core.Optional[int64]{}
	}
	return core.Some(int64(*d) / 1000)
}

// text is a text that may be missing.
func text(s string) core.Optional[string] { return core.Optional[string]{Value: s, Set: s != ""} }

// mergeJSON puts the keys of one map, as JSON, over those of another.
func mergeJSON(under, over string) string {
	if under == "" || over == "" {
		return under + over
	}
	var a, b map[string]any
	if json.Unmarshal([]byte(under), &a) != nil || json.Unmarshal([]byte(over), &b) != nil {
		return over
	}
	for k, v := range b {
		a[k] = v
	}
	merged, err := json.Marshal(a)
	if err != nil {
		return over
	}
	return string(merged)
}
