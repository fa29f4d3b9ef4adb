// Package perfettotest reads what package perfetto writes, by the published numbers of the
// fields and not by the writer's code. A field that it does not know is an error.
package perfettotest

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Trace is one that was read.
type Trace struct {
	Clocks map[uint64]uint64 // ns by the number of the clock, at one moment
	Tracks map[uint64]Track
	Order  []uint64 // of the tracks
	Events []Event
}

// A Track is one of a trace.
type Track struct {
	Name, Description, Unit string
	Parent, Rank            uint64
	IsCounter               bool
}

// Types of events.
const (
	Begin   = 1
	End     = 2
	Instant = 3
	Counter = 4
)

// An Event is one of a trace.
type Event struct {
	At         uint64 // ns
	Type       uint64
	Track      uint64
	Name       string
	Notes      map[string]string
	Value      float64
	From, Into uint64 // flows that begin and end here; 0 if there is none
}

// A field is one of a message.
type field struct {
	number protowire.Number
	value  uint64
	bytes  []byte
}

// fields are those of a message, in order.
func fields(b []byte) (all []field, err error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		f := field{number: number}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			return nil, fmt.Errorf("field %d has wire type %d", number, kind)
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		all, b = append(all, f), b[n:]
	}
	return all, nil
}

// each hands the fields of a message to a function that says whether it knows them.
func each(message string, b []byte, take func(f field) (known bool, err error)) error {
	all, err := fields(b)
	if err != nil {
		return fmt.Errorf("%s: %w", message, err)
	}
	for _, f := range all {
		known, err := take(f)
		if err == nil && !known {
			err = fmt.Errorf("%s has a field %d", message, f.number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Read reads a trace.
func Read(b []byte) (*Trace, error) {
	t := &Trace{Clocks: map[uint64]uint64{}, Tracks: map[uint64]Track{}}
	err := each("Trace", b, func(f field) (bool, error) { return f.number == 1, t.packet(f.bytes) })
	return t, err
}

func (t *Trace) packet(b []byte) error {
	var at uint64
	return each("TracePacket", b, func(f field) (bool, error) {
		switch f.number {
		case 8:
			at = f.value
		case 10, 13: // sequence and its flags
		case 6:
			return true, each("ClockSnapshot", f.bytes, func(f field) (bool, error) { return f.number == 1, t.clock(f.bytes) })
		case 11:
			return true, t.event(at, f.bytes)
		case 60:
			return true, t.track(f.bytes)
		default:
			return false, nil
		}
		return true, nil
	})
}

func (t *Trace) clock(b []byte) error {
	var id uint64
	return each("Clock", b, func(f field) (bool, error) {
		switch f.number {
		case 1:
			id = f.value
		case 2:
			t.Clocks[id] = f.value
		}
		return f.number <= 2, nil
	})
}

func (t *Trace) track(b []byte) error {
	var id uint64
	var is Track
	err := each("TrackDescriptor", b, func(f field) (bool, error) {
		switch f.number {
		case 1:
			id = f.value
		case 2:
			is.Name = string(f.bytes)
		case 5:
			is.Parent = f.value
		case 8:
			is.IsCounter = true
			return true, each("CounterDescriptor", f.bytes, func(f field) (bool, error) {
				if f.number == 6 {
					is.Unit = string(f.bytes)
				}
				return f.number == 6 || f.number == 7, nil
			})
		case 11: // ordering of the tracks below
		case 12:
			is.Rank = f.value
		case 14:
			is.Description = string(f.bytes)
		default:
			return false, nil
		}
		return true, nil
	})
	if _, twice := t.Tracks[id]; twice && err == nil {
		err = fmt.Errorf("two tracks are %d", id)
	}
	if _, there := t.Tracks[is.Parent]; is.Parent != 0 && !there && err == nil {
		err = fmt.Errorf("track %s comes before the one above it", is.Name)
	}
	t.Tracks[id] = is
	t.Order = append(t.Order, id)
	return err
}

func (t *Trace) event(at uint64, b []byte) error {
	e := Event{At: at, Notes: map[string]string{}}
	err := each("TrackEvent", b, func(f field) (bool, error) {
		switch f.number {
		case 4:
			return true, e.addNote(f.bytes)
		case 9:
			e.Type = f.value
		case 11:
			e.Track = f.value
		case 23:
			e.Name = string(f.bytes)
		case 44:
			e.Value = math.Float64frombits(f.value)
		case 47:
			e.From = f.value
		case 48:
			e.Into = f.value
		default:
			return false, nil
		}
		return true, nil
	})
	track, there := t.Tracks[e.Track]
	switch {
	case err != nil:
	case !there:
		err = fmt.Errorf("event %q is on no track", e.Name)
	case track.IsCounter != (e.Type == Counter):
		err = fmt.Errorf("event %q of type %d is on track %s", e.Name, e.Type, track.Name)
	case len(t.Events) > 0 && t.Events[len(t.Events)-1].At > at:
		err = fmt.Errorf("event %q comes after a later one", e.Name)
	}
	t.Events = append(t.Events, e)
	return err
}

func (e *Event) addNote(b []byte) error {
	var name string
	return each("DebugAnnotation", b, func(f field) (bool, error) {
		switch f.number {
		case 10:
			name = string(f.bytes)
		case 6:
			e.Notes[name] = string(f.bytes)
		default:
			return false, nil
		}
		return true, nil
	})
}

// Path is the names of a track and those above it, joined by " / ".
func (t *Trace) Path(track uint64) string {
	is := t.Tracks[track]
	if is.Parent == 0 {
		return is.Name
	}
	return t.Path(is.Parent) + " / " + is.Name
}
