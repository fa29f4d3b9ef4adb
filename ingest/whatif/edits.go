package whatif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"poolproof/core"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/ingest/poolconf"
)

// Edits are changes to a log's configuration, nodes, operations and preemptions.
type Edits struct {
	At      core.Optional[core.Time] // from this time on; absent: from the beginning
	Profile core.Optional[core.Profile]

	file        string
	raw         map[string]any // from which they were read
	lines       map[string]int // of its keys
	patches     []poolconf.Patch
	nodes       map[string]nodeEdit
	operations  map[string]operationEdit
	users       map[string]operationEdit
	preemptions []preemptionEdit
	shift       core.Time // by which all operations come later
}

// Shifted are the edits by which all operations come later: what they change is noise.
func Shifted(by core.Time) *Edits { return &Edits{file: "shift", shift: by} }

// A nodeEdit removes nodes, resizes them or adds more that are like one.
type nodeEdit struct {
	Remove    bool
	Resources map[string]any `json:"resource_limits"`
	Like      string
	Count     *int
}

// An operationEdit is about an operation, or all operations of a user.
type operationEdit struct {
	Remove bool
	Delay  duration

	options map[string]any // of its spec, by name: pool, weight, resource_limits, ...
}

// A preemptionEdit names preemptions that do not happen.
type preemptionEdit struct {
	Victim, Beneficiary string // an operation or a pool; "" for any
	Job                 string // the job that is taken, by its name in the control
	From, To            *moment
}

// keys are those of a file beside the options of trees and pools.
var keys = []string{"at", "profile", "nodes", "operations", "users", "preemptions"}

const largestFile = 16 << 20

// Read reads a file of edits.
func Read(path string) (*Edits, error) {
	b, err := input.ReadAll(path, largestFile)
	if err != nil {
		return nil, fmt.Errorf("read edits: %w", err)
	}
	return Parse(path, b)
}

// Parse reads edits. File is their name in errors.
func Parse(file string, b []byte) (*Edits, error) {
	raw, err := poolconf.ParseValue(file, b)
	if err != nil {
		return nil, err
	}
	m, isMap := raw.(map[string]any)
	if raw != nil && !isMap {
		return nil, input.At(file, 1, "%s", "the file must be a map: options of the tree, pools, trees, "+spelling.Either(keys))
	}
	e := &Edits{file: file, raw: m, lines: map[string]int{}}
	patches, others, err := poolconf.ParsePatches(file, b, keys...)
	if err != nil {
		return nil, err
	}
	e.patches = patches
	for _, key := range slices.Sorted(maps.Keys(others)) {
		e.lines[key] = others[key].Line
		if err := e.read(key, others[key].Of); err != nil {
			return nil, input.At(file, others[key].Line, "%s: %v", key, err)
		}
	}
	return e, nil
}

// read reads the value of a key that is not an option.
func (e *Edits) read(key string, v any) error {
	switch key {
	case "at":
		var at moment
		err := decode(v, &at)
		e.At = core.Some(core.Time(at))
		return err
	case "profile":
		name, _ := v.(string)
		profile, err := core.ParseProfile(name)
		e.Profile = core.Some(profile)
		return err
	case "nodes":
		return decode(v, &e.nodes)
	case "operations":
		return decodeOperations(v, &e.operations)
	case "users":
		return decodeOperations(v, &e.users)
	}
	return decode(v, &e.preemptions)
}

// decodeOperations reads edits of operations. Keys without a field of the struct are options of their specs.
func decodeOperations(v any, into *map[string]operationEdit) error {
	all, isMap := v.(map[string]any)
	if !isMap {
		return errors.New("it must be a map")
	}
	*into = map[string]operationEdit{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		own, isMap := all[name].(map[string]any)
		if !isMap {
			return fmt.Errorf("%s must be a map, as {delay: 10m}", name)
		}
		e, facts := operationEdit{options: map[string]any{}}, map[string]any{}
		for key, value := range own {
			if key == "remove" || key == "delay" {
				facts[key] = value
			} else {
				e.options[key] = value
			}
		}
		if err := decode(facts, &e); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		(*into)[name] = e
	}
	return nil
}

// decode reads a value into a struct; unknown keys are errors.
func decode(v, into any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var wrong *json.UnmarshalTypeError
	switch err := d.Decode(into); {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s cannot be a %s", wrong.Field, wrong.Value)
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, more := d.Token(); more != io.EOF {
		return errors.New("something follows the value")
	}
	return nil
}

// With returns the edits with one value more, under a key as pools.prod.weight.
func (e *Edits) With(key string, value any) (*Edits, error) {
	raw := copyOf(e.raw)
	at := raw
	path := strings.Split(key, ".")
	for _, name := range path[:len(path)-1] {
		inner, isMap := at[name].(map[string]any)
		if !isMap {
			inner = map[string]any{}
			at[name] = inner
		}
		at = inner
	}
	at[path[len(path)-1]] = value
	return FromValue(key, raw)
}

// FromValue reads edits that stand in a value. Name is theirs in errors.
func FromValue(name string, v any) (*Edits, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Parse(name, b)
}

// copyOf copies a map and those in it.
func copyOf(m map[string]any) map[string]any {
	c := map[string]any{}
	for key, v := range m {
		if inner, isMap := v.(map[string]any); isMap {
			v = copyOf(inner)
		}
		c[key] = v
	}
	return c
}

// Text returns the edits in a canonical form, which does not depend on the layout of their file. Nil
// stands for no edits.
func (e *Edits) Text() (string, error) {
	if e == nil {
		e = &Edits{}
	}
	b, err := json.Marshal(struct {
		At    core.Optional[core.Time]
		Edits map[string]any
	}{e.At, copyOf(e.raw)})
	return string(b), err
}

// errorf is an error about what stands under a key.
func (e *Edits) errorf(key, format string, args ...any) error {
	return input.At(e.file, max(e.lines[key], 1), format, args...)
}

// A duration is written like 90s or 10m.
type duration core.Time

func (d *duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf("invalid duration %q (want 90s or 10m)", b)
	}
	*d = duration(v.Microseconds())
	return nil
}

// A moment is written in ISO 8601.
type moment core.Time

func (m *moment) UnmarshalText(b []byte) error {
	at, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return fmt.Errorf("invalid time %q (want one like 2025-03-03T08:10:00Z)", b)
	}
	*m = moment(at.UnixMicro())
	return nil
}
