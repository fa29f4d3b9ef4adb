package synthetic

import (
	"embed"
	"fmt"
	"slices"

	"poolproof/core/spelling"
)

//go:embed presets/*.yaml
var presets embed.FS

// Presets are the names of the descriptions that come with the program, from
// the smallest to the largest.
var Presets = []string{"small", "day", "large"}

// Incidents are the names of descriptions that come with the program as well: in each, a pool or
// an operation lacks share for one cause, although the scheduler breaks no rule.
var Incidents = []string{
	"incident-neighbour", "incident-ancestor-limit", "incident-operation-count", "incident-fragmentation", "incident-excluded-nodes",
	"incident-lost-nodes", "incident-weights", "incident-spent-volume", "incident-aggressive-preemption-forbidden",
}

// PresetText returns the text of a description that comes with the program.
func PresetText(name string) (string, error) {
	b, err := presets.ReadFile("presets/" + name + ".yaml")
	if err != nil {
		return "", fmt.Errorf("unknown preset %q; %s", name, spelling.Meant(name, slices.Concat(Presets, Incidents)))
	}
	return string(b), nil
}

// Preset returns a description that comes with the program.
func Preset(name string) (*Spec, error) {
	text, err := PresetText(name)
	if err != nil {
		return nil, err
	}
	return Parse("preset "+name, []byte(text))
}
