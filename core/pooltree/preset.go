package pooltree

import "sort"

// setPresets reads pool_config_presets (core/spec/scheduling.md §4.4).
func setPresets(c *TreeConfig, v any, p Profile) *fault {
	m, wrong := readMap(v)
	if wrong != nil {
		return wrong
	}
	var presets []Preset
	for _, name := range sortedNames(m) {
		options, wrong := readMap(m[name])
		if wrong != nil {
			return wrong
		}
		config, wrong := parsePreset(options, p)
		if wrong != nil {
			return &fault{wrong.rule, "preset " + name + ": " + wrong.detail}
		}
		presets = append(presets, Preset{name, config})
	}
	c.Presets = presets
	return nil
}

func parsePreset(a Attributes, p Profile) (PoolConfig, *fault) {
	for _, name := range sortedNames(a) {
		o := optionOf(poolOptions, name)
		if o == nil || !o.preset || o.name == lightweightName && !p.hasLightweight() {
			return PoolConfig{}, &fault{PresetOption, name}
		}
	}
	c, errs := ParsePool(p, a)
	if len(errs) > 0 {
		return c, &fault{errs[0].Rule, errs[0].Option + ": " + errs[0].Detail}
	}
	return c, nil
}

// preset returns the tree's preset of the name.
func (c *TreeConfig) preset(name string) (*PoolConfig, bool) {
	i := sort.Search(len(c.Presets), func(i int) bool { return c.Presets[i].Name >= name })
	if i == len(c.Presets) || c.Presets[i].Name != name {
		return nil, false
	}
	return &c.Presets[i].Config, true
}

// withPresets returns the pool's options with those of its presets, where the
// pool sets none itself; of several presets the later one goes first.
func (c PoolConfig) withPresets(tree *TreeConfig) PoolConfig {
	for i := len(c.Presets) - 1; i >= 0; i-- {
		if preset, ok := tree.preset(c.Presets[i]); ok {
			c.inherit(preset)
		}
	}
	return c
}

// inherit takes over the options of a preset that c leaves absent.
func (c *PoolConfig) inherit(preset *PoolConfig) {
	for i := range poolOptions {
		if poolOptions[i].preset {
			poolOptions[i].fill(c, preset)
		}
	}
}
