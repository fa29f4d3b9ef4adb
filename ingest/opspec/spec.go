// Package opspec reads what an operation's spec asks of scheduling: the JSON of
// the column spec_json of dim/operations (ingest/trace/FORMAT.md §1.5, §3.3).
//
//	var specs opspec.Set
//	s, err := specs.Parse(text)
//	options, _ := s.In(profile, "physical") // pool, weight, limits, ... in that tree
//	trees, _ := s.Trees(profile, "map")     // pool_trees, tentative ones, ...
//
// A spec may be megabytes of commands and paths. Of it only the options that
// pooltree knows are kept (pooltree.SpecOptions), and equal specs are one: a Set
// holds each once, so that memory follows how many kinds of operations there
// are. What the options mean and which values they take pooltree decides, by the
// rules of a profile; a value that it refuses counts as absent. A spec in which such an option lost bytes
// (U+FFFD stands for them) is refused: what it asked for is unknown, and not the default. A key that stands
// twice holds its last value.
package opspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf"
)

// A Spec is what an operation's spec says to scheduling. It does not change and
// may be shared.
type Spec struct {
	attributes pooltree.Attributes
}

// names are those of all that is kept of a spec.
var names = pooltree.SpecOptions()

// keep returns the part of a spec that scheduling looks at, in one form for all
// specs that say the same.
func keep(text []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return nil, errors.New("it is not a map")
		}
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if all == nil {
		return nil, errors.New("it is not a map")
	}
	kept := map[string]json.RawMessage{}
	for _, name := range names {
		if value, has := all[name]; has && !pooltree.IsTrimmed(name) {
			kept[name] = value
		}
	}
	if err := keepMedia(kept, all); err != nil {
		return nil, err
	}
	return json.Marshal(kept)
}

// keepMedia keeps of the kinds of jobs, which are large, the media that they ask
// for: nothing where none asks for any.
func keepMedia(kept, all map[string]json.RawMessage) error {
	asked := false
	trimmed := map[string]json.RawMessage{}
	for _, name := range names {
		value, has := all[name]
		if !has || !pooltree.IsTrimmed(name) {
			continue
		}
		v, err := poolconf.ParseJSON(value)
		if err != nil {
			return err
		}
		media, asks := pooltree.Trim(name, v)
		if trimmed[name], err = json.Marshal(media); err != nil {
			return err
		}
		asked = asked || asks
	}
	if asked {
		maps.Copy(kept, trimmed)
	}
	return nil
}

func decode(kept []byte) (*Spec, error) {
	v, err := poolconf.ParseJSON(kept)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is not a map")
	}
	if poolconf.LostBytes(m) {
		return nil, errors.New("an option that scheduling goes by lost bytes")
	}
	return &Spec{m}, nil
}

// In returns what the spec says of the operation in one tree: its options, and
// over them those of the tree's own entry. Pool is the pool that is asked for
// there, "" if none is. Each error is a value that counts as absent.
func (s *Spec) In(p pooltree.Profile, tree string) (pooltree.OperationConfig, []*pooltree.RuleError) {
	return pooltree.ParseOperation(p, s.attributes, tree)
}

// Trees returns what the spec says of the trees of an operation of that type,
// for pooltree.SelectTrees. Each error is a value that
// counts as absent.
func (s *Spec) Trees(p pooltree.Profile, operationType string) (pooltree.TreeSpec, []*pooltree.RuleError) {
	return pooltree.ParseTreeSpec(p, operationType, s.attributes)
}

// Faults returns what the profile refuses anywhere in the spec, each option once.
func (s *Spec) Faults(p pooltree.Profile) []string {
	var faults []string
	add := func(errs []*pooltree.RuleError) {
		for _, e := range errs {
			if text := e.Error(); !slices.Contains(faults, text) {
				faults = append(faults, text)
			}
		}
	}
	_, errs := s.Trees(p, "")
	add(errs)
	for _, tree := range append([]string{""}, pooltree.TreesWithOptions(s.attributes)...) {
		_, errs := s.In(p, tree)
		add(errs)
	}
	return faults
}
