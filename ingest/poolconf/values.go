package poolconf

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/spelling"
	"poolproof/ingest/trace"
)

// Each reader of a value takes the option's name for its error.

func (n *node) text_(option string) (string, error) {
	if n.kind != scalar {
		return "", n.errorf("%s must be text", option)
	}
	return n.text, nil
}

func (n *node) real(option string, least, most float64) (float64, error) {
	v, err := strconv.ParseFloat(n.text, 64)
	if n.kind != scalar || n.quoted || err != nil || !(v >= least && v <= most) || math.IsInf(v, 0) {
		return 0, n.errorf("%s must be a number%s", option, bounds(least, most))
	}
	return v, nil
}

func bounds(least, most float64) string {
	switch {
	case most < math.MaxFloat64:
		return " from " + format(least) + " to " + format(most)
	case least > -math.MaxFloat64:
		return " of at least " + format(least)
	}
	return ""
}

func format(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (n *node) integer(option string, least int64) (int64, error) {
	v, err := strconv.ParseInt(n.text, 10, 64)
	if err != nil {
		// JSON writers print 1e9 for a thousand million.
		if f, ferr := strconv.ParseFloat(n.text, 64); ferr == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			v, err = int64(f), nil
		}
	}
	if n.kind != scalar || n.quoted || err != nil || v < least {
		return 0, n.errorf("%s must be a whole number of at least %d", option, least)
	}
	return v, nil
}

func (n *node) boolean(option string) (bool, error) {
	if n.kind == scalar && !n.quoted {
		switch n.text {
		case "true", "True", "TRUE":
			return true, nil
		case "false", "False", "FALSE":
			return false, nil
		}
	}
	return false, n.errorf("%s must be true or false", option)
}

func (n *node) oneOf(option string, words ...string) (string, error) {
	if n.kind != scalar || !slices.Contains(words, n.text) {
		return "", n.errorf("%s must be %s", option, spelling.Either(words))
	}
	return n.text, nil
}

// resources reads a map of resources: cpu in cores, all others whole numbers.
func (n *node) resources(option string) (trace.PartialResources, error) {
	var p trace.PartialResources
	const allowed = "user_slots, cpu, gpu, memory and network"
	if n.kind != mapping {
		return p, n.errorf("%s must be a map of resources: %s", option, allowed)
	}
	for i, key := range n.keys {
		k, ok := resource.ParseKind(key.text)
		if !ok || key.text == "user_memory" {
			return p, key.errorf("%s has no resource %q; it may name %s", option, key.text, allowed)
		}
		name := option + "." + key.text
		if k == resource.CPU {
			cores, err := n.values[i].real(name, 0, 1e12)
			if err != nil {
				return p, err
			}
			p.CPUMilli = core.Some(int64(math.Round(cores * 1000)))
			continue
		}
		v, err := n.values[i].integer(name, 0)
		if err != nil {
			return p, err
		}
		switch k {
		case resource.UserSlots:
			p.UserSlots = core.Some(v)
		case resource.GPU:
			if v > math.MaxInt32 {
				return p, n.values[i].errorf("%s must be at most %d", name, math.MaxInt32)
			}
			p.GPU = core.Some(int32(v))
		case resource.Memory:
			p.Memory = core.Some(v)
		case resource.Network:
			p.Network = core.Some(v)
		}
	}
	return p, nil
}

// fifoKeys reads fifo_sort_parameters.
func (n *node) fifoKeys(option string, words []string) (string, error) {
	if n.kind != list || len(n.values) == 0 {
		return "", n.errorf("%s must be a list of %s", option, spelling.Either(words))
	}
	var keys []string
	for _, v := range n.values {
		k, err := v.oneOf(option, words...)
		if err != nil {
			return "", err
		}
		if k == "pending_allocation_count" { // its name since jobs are allocations
			k = "pending_job_count"
		}
		if slices.Contains(keys, k) {
			return "", v.errorf("%s names %s twice", option, k)
		}
		keys = append(keys, k)
	}
	return strings.Join(keys, ","), nil
}

// json returns the value as JSON, for options that only pass through.
func (n *node) json() any {
	switch n.kind {
	case null:
		return nil
	case mapping:
		m := map[string]any{}
		for i, k := range n.keys {
			m[k.text] = n.values[i].json()
		}
		return m
	case list:
		l := make([]any, len(n.values))
		for i, v := range n.values {
			l[i] = v.json()
		}
		return l
	}
	if b, err := n.boolean(""); err == nil {
		return b
	}
	if n.quoted {
		return n.text
	}
	if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(n.text, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return f
	}
	return n.text
}

// encode returns the collected options as one JSON object, "" if there are none.
func encode(extra map[string]any) string {
	if len(extra) == 0 {
		return ""
	}
	b, err := json.Marshal(extra) // sorts the keys
	if err != nil {
		panic(err) // json returns nothing that JSON cannot hold
	}
	return string(b)
}
