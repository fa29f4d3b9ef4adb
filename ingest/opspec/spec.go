// Package opspec reads the scheduling options of an operation's spec: the JSON of
// the column spec_json of dim/operations (ingest/trace/FORMAT.md §1.5, §3.3).
//
//	var specs opspec.Set
//	s, err := specs.Parse(text)
//	options, _ := s.In(profile, "physical") // pool, weight, limits, ... in that tree
//	trees, _ := s.Trees(profile, "map")     // pool_trees, tentative ones, ...
//
// A spec may hold megabytes of commands and paths. Only the options that
// pooltree knows are kept (pooltree.SpecOptions), and a Set holds equal specs once, so
// that memory grows with the kinds of operations and not with their number. Package
// pooltree defines the options and their values, by the rules of a profile; a value
// that it refuses counts as absent. A spec in which such an option lost bytes
// (U+FFFD replaces them) is refused: the value that was asked for is unknown, and need
// not be the default. Of a duplicate key the last value counts.
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

// A Spec holds the scheduling options of an operation's spec. It is immutable and may be shared.
type Spec struct {
	attributes pooltree.Attributes
}

// names are the keys of a spec that are kept.
var names = pooltree.SpecOptions()

// keep returns the scheduling options of a spec as JSON: specs with the same options give the same text.
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

// keepMedia adds the media that the kinds of jobs ask for. The descriptions of these kinds are large,
// and nothing else of them is kept; nothing at all if none asks for a medium.
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

// In returns the options of the operation in one tree: those of the tree's own entry, where it has one,
// replace the general ones. Pool is the requested pool, "" if there is none. Each error is a value that
// counts as absent.
func (s *Spec) In(p pooltree.Profile, tree string) (pooltree.OperationConfig, []*pooltree.RuleError) {
	return pooltree.ParseOperation(p, s.attributes, tree)
}

// Trees returns the trees that an operation of that type asks for, as pooltree.SelectTrees takes them.
// Each error is a value that counts as absent.
func (s *Spec) Trees(p pooltree.Profile, operationType string) (pooltree.TreeSpec, []*pooltree.RuleError) {
	return pooltree.ParseTreeSpec(p, operationType, s.attributes)
}

// Faults returns the values that the profile refuses anywhere in the spec, each once.
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
