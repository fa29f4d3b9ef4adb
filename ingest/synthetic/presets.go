package synthetic

import (
	"embed"
	"fmt"

	"poolproof/core/spelling"
)

//go:embed presets/*.yaml
var presets embed.FS

// Presets are the names of the descriptions that come with the program, from
// the smallest to the largest.
var Presets = []string{"small", "day", "large"}

// PresetText returns the text of a description that comes with the program.
func PresetText(name string) (string, error) {
	b, err := presets.ReadFile("presets/" + name + ".yaml")
	if err != nil {
		return "", fmt.Errorf("there is no preset %q; %s", name, spelling.Meant(name, Presets))
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
