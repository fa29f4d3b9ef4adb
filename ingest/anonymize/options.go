package anonymize

import (
	"encoding/json"
	"slices"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/codes"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// A shape turns a value of JSON into one without names; nil if nothing of it stays.
type shape func(n *names, v any) any

// json replaces the names in the text of a column that holds options. A question mark, which is not
// JSON either, replaces a text that is not a JSON map.
func (n *names) json(text string, s shape) string {
	if text == "" {
		return text
	}
	v, err := poolconf.ParseJSON([]byte(text))
	if err != nil {
		return "?"
	}
	b, err := json.Marshal(s(n, v))
	if err != nil {
		return "?" // a value such as NaN, which JSON cannot represent
	}
	return string(b)
}

// one replaces a text that is a name.
func one(k kind) shape {
	return func(n *names, v any) any {
		if text, ok := v.(string); ok {
			return n.replace(k, text)
		}
		return plain(n, v)
	}
}

func poolText(n *names, v any) any {
	if text, ok := v.(string); ok {
		return n.pool(text)
	}
	return plain(n, v)
}

func formulaOf(k kind) shape {
	return func(n *names, v any) any {
		if text, ok := v.(string); ok {
			return n.formula(k, text)
		}
		return plain(n, v)
	}
}

// each replaces the members of a list.
func each(s shape) shape {
	return func(n *names, v any) any {
		list, ok := v.([]any)
		if !ok {
			return s(n, v)
		}
		to := make([]any, len(list))
		for i := range list {
			to[i] = s(n, list[i])
		}
		return to
	}
}

// byName replaces the keys of a map and its values.
func byName(k kind, s shape) shape {
	return func(n *names, v any) any {
		m, ok := v.(map[string]any)
		if !ok {
			return plain(n, v)
		}
		to := map[string]any{}
		for _, key := range sortedKeys(m) {
			to[n.replace(k, key)] = s(n, m[key])
		}
		return to
	}
}

// there keeps that an option is there and nothing of what it says.
func there(_ *names, v any) any {
	if v == nil {
		return nil
	}
	return map[string]any{}
}

// plain keeps numbers, truths, words of the format and, of maps, what stands under such words.
func plain(n *names, v any) any {
	switch v := v.(type) {
	case string:
		if words[v] {
			return v
		}
		return n.replace(wordName, v)
	case []any:
		return each(plain)(n, v)
	case map[string]any:
		return options(n, v)
	}
	return v
}

// options keeps the options of a map that the format knows, each in its shape.
func options(n *names, v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return plain(n, v)
	}
	to := map[string]any{}
	for _, key := range sortedKeys(m) {
		if s, ok := shapes[key]; ok {
			to[key] = s(n, m[key])
		} else if words[key] {
			to[key] = plain(n, m[key])
		}
	}
	return to
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// shapes are the options that hold names, wherever they stand.
var shapes map[string]shape

func init() {
	shapes = map[string]shape{
		"nodes_filter": formulaOf(tagName), "scheduling_tag_filter": formulaOf(tagName), "scheduling_tag": formulaOf(tagName), "node_tag_filter": formulaOf(tagName),
		"filter":              formulaOf(treeName), // of a template
		"default_parent_pool": poolText, "pool": poolText,
		"default_tree": one(treeName), "probing_pool_tree": one(treeName),
		"trees": each(one(treeName)), "pool_trees": each(one(treeName)), "tentative_pool_trees": each(one(treeName)), "default_tentative_pool_trees": each(one(treeName)),
		"user_to_default_pool_map": byName(userName, poolText), "user_to_default_parent_pool": byName(userName, poolText),
		"template_pool_tree_config_map":    byName(presetName, options),
		"pool_config_presets":              byName(presetName, options),
		"config_preset":                    one(presetName),
		"config_presets":                   each(one(presetName)),
		"offloading_settings":              byName(treeName, options),
		"scheduling_options_per_pool_tree": byName(treeName, options), "fair_share_options_per_pool_tree": byName(treeName, options),
		"medium_names": each(one(mediumName)), "medium_name": one(mediumName), "medium": one(mediumName),
		"scheduling_segment_modules": each(one(moduleName)),
		"satisfaction_margins":       there, "reserve_fair_resource_amount": there,
		"tasks": byName(wordName, options),
		"abc":   there, "metering_tags": there, "allowed_profiling_tags": func(*names, any) any { return []any{} },
	}
}

// words are texts of the format that are not names: options without names, codes of problems and others.
var words = wordsOfTheFormat()

func wordsOfTheFormat() map[string]bool {
	all := map[string]bool{}
	for _, of := range codes.Explanations() {
		for code := range of {
			all[code] = true
		}
	}
	for _, list := range [][]string{
		trace.Words(), pooltree.AllOptions(), pooltree.AllWords(),
		{"memory", "user_memory", "config", "priority", "enable", "batch_size", "fallback_min_spare_job_resources", "disk_request", "aggregation_mode", "ema_alpha"},
	} {
		for _, word := range list {
			all[word] = true
		}
	}
	for k := range resource.Kinds {
		all[resource.Kind(k).String()] = true
	}
	return all
}
