package synthetic

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// unused is what preset day does not switch on, and why.
var unused = map[string]string{
	"TreeConfig.Assumed":                 "a description states its configuration",
	"TreeConfig.PoolsAssumed":            "likewise",
	"TreeConfig.UseUserParents":          "whose parent is which stands in a map outside of every trace",
	"TreeConfig.ThresholdExplicitlyNull": "it is illegal",
	"TreeConfig.GangsInFIFOOnly":         "profile current only: testdata/innocent of cmd/poolproof has it",
	"PoolConfig.AlwaysAllowGangs":        "likewise",
	"Segments.ResetIdle":                 "an operation keeps its module here; core/testdata has those that lose it",
	"Segments.Reserve":                   "with a reserve no log tells which segment wants nodes, and SEG-03 would have nothing to judge",
}

// TestDayUsesEverything: what a description can say, preset day says somewhere, so
// that a day on which nothing is planted tries it all. Of the trees what the core
// reads of their options counts, changes included.
func TestDayUsesEverything(t *testing.T) {
	spec := preset(t, "day", 600*minute)
	known, used := map[string]bool{}, map[string]bool{}
	features(reflect.TypeFor[Spec](), known)
	features(reflect.TypeFor[pooltree.TreeConfig](), known)
	features(reflect.TypeFor[pooltree.PoolConfig](), known)
	use(reflect.ValueOf(*spec), used)
	d, err := newDraft(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.trees {
		for _, r := range d.trees[i].rows {
			switch row := r.data.(type) {
			case *trace.TreeConfig:
				attributes, _ := poolconf.TreeAttributes(row)
				c, errs := pooltree.ParseTree(pooltree.Documented, attributes)
				for _, err := range errs {
					t.Errorf("tree %s: %v", d.trees[i].name, err)
				}
				use(reflect.ValueOf(c), used)
			case *trace.PoolConfig:
				attributes, _ := poolconf.PoolAttributes(row)
				c, errs := pooltree.ParsePool(pooltree.Documented, attributes)
				for _, err := range errs {
					t.Errorf("pool %s: %v", d.pools[row.Pool].Name, err)
				}
				use(reflect.ValueOf(c), used)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		switch why, excepted := unused[name]; {
		case !used[name] && !excepted:
			t.Errorf("nothing of preset day uses %s", name)
		case used[name] && excepted:
			t.Errorf("preset day uses %s: take it off the list of what it does not (%s)", name, why)
		}
	}
	for name := range unused {
		if !known[name] {
			t.Errorf("there is no %s that preset day could use", name)
		}
	}
}

// TestDayUsesEveryWord is the same of the words that keys have as values.
func TestDayUsesEveryWord(t *testing.T) {
	spec := preset(t, "day", 600*minute)
	used := map[string]bool{}
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		used[w.Type], used[w.Arrivals.Day], used[w.PreemptionMode] = true, true, true
	}
	for i := range spec.Operations {
		used[spec.Operations[i].Type] = true
	}
	for i := range spec.Changes {
		c := &spec.Changes[i]
		used[c.Event], used[c.Process] = true, true
		if c.Online != nil {
			used["online"] = used["online"] || *c.Online
			used["offline"] = used["offline"] || !*c.Online
		}
	}
	words := slices.Concat(operationTypes, operationEvents, processEvents, slices.Sorted(maps.Keys(days)),
		[]string{"normal", "graceful", "online", "offline"})
	for _, word := range words {
		if !used[word] {
			t.Errorf("nothing of preset day is %q", word)
		}
	}
}

// whole are types that are a value each, however they are made.
var whole = map[reflect.Type]bool{
	reflect.TypeFor[resource.Partial](): true, reflect.TypeFor[pooltree.Formula](): true,
}

// isWhole reports whether a type is a value, and no list of features: an optional one
// is, too.
func isWhole(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || whole[t] {
		return true
	}
	_, optional := t.FieldByName("Set")
	return optional
}

// features collects what can be said by a description, as Type.Field.
func features(t reflect.Type, known map[string]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if isWhole(t) {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported():
		case f.Anonymous:
			features(f.Type, known)
		case !known[t.Name()+"."+f.Name]:
			known[t.Name()+"."+f.Name] = true
			features(f.Type, known)
		}
	}
}

// use collects what is said: what is not as it would be if nothing were.
func use(v reflect.Value, used map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			use(v.Elem(), used)
		}
	case reflect.Slice:
		for i := range v.Len() {
			use(v.Index(i), used)
		}
	case reflect.Struct:
		if isWhole(v.Type()) {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if !f.Anonymous && !v.Field(i).IsZero() {
				used[v.Type().Name()+"."+f.Name] = true
			}
			use(v.Field(i), used)
		}
	}
}
