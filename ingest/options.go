package ingest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// parseOptions reads the options of the current row. What parse finds wrong
// with a value is a problem, and the value counts as absent; a key of an option
// that is a map, such as integral_guarantees, does so alone. Columns are those
// that are not named as their options.
func parseOptions[C any](r *rows, columns map[string]string, a pooltree.Attributes,
	parse func(pooltree.Profile, pooltree.Attributes) (C, []*pooltree.RuleError)) C {
	for {
		c, errs := parse(r.stream.profile, a)
		inner := false
		for _, e := range errs {
			if m, key := faultyKey(a, e); m != nil {
				option := e.Option
				if option == integralGuarantees {
					option = key // its keys have columns of their own
				}
				r.fault(columns, option, e)
				delete(m, key)
				inner = true
			}
		}
		if !inner {
			for _, e := range errs {
				r.fault(columns, e.Option, e)
			}
			return c
		}
	}
}

const integralGuarantees = "integral_guarantees"

// faultyKey returns the map that is the option at fault, and the key in it that
// is; nil if the option is at fault as a whole.
func faultyKey(a pooltree.Attributes, e *pooltree.RuleError) (map[string]any, string) {
	m, ok := a[e.Option].(map[string]any)
	key, _, found := strings.Cut(e.Detail, ": ")
	if _, has := m[key]; !ok || !found || !has {
		return nil, ""
	}
	return m, key
}

// fault records what is wrong with an option of the current row, in the column
// that holds it or else in config_json.
func (r *rows) fault(columns map[string]string, option string, e *pooltree.RuleError) {
	if r.reported {
		return
	}
	switch e.Rule {
	case pooltree.WrongType, pooltree.OutOfRange, pooltree.BadFormula, pooltree.AliasConflict, pooltree.NullThreshold, pooltree.PresetOption:
	default:
		return // options that contradict each other can be read: whether they may stand is judged elsewhere
	}
	k := r.columnOf(columns, option)
	switch {
	case k < 0 || e.Rule == pooltree.AliasConflict:
		r.problem("config_json", badConfig, e.Error())
	case e.Rule == pooltree.BadFormula:
		r.problem(r.table.Columns[k].Name, badFilter, r.text(k)+": "+e.Detail)
	case strings.HasSuffix(r.table.Columns[k].Name, "_json"):
		r.problem(r.table.Columns[k].Name, badConfig, e.Error())
	case r.table.Columns[k].Type == parquetlog.Text:
		r.problem(r.table.Columns[k].Name, unknownEnum, r.text(k))
	default:
		r.problem(r.table.Columns[k].Name, badNumber, r.text(k))
	}
}

// columnOf returns the column that holds an option in the current row, -1 if
// none does.
func (r *rows) columnOf(columns map[string]string, option string) int {
	names := []string{option, option + "_ms"}
	if name, ok := columns[option]; ok {
		names = []string{name}
	}
	k := slices.IndexFunc(r.table.Columns, func(c parquetlog.Column) bool { return slices.Contains(names, c.Name) })
	// A word that every row must have says nothing where it is empty.
	if k < 0 || r.batch.Columns[k].Null(r.i) || !r.table.Columns[k].Nullable && r.text(k) == "" {
		return -1
	}
	return k
}

// value returns a value of the current row that is not null.
func (r *rows) value(k int) any {
	v, c := &r.batch.Columns[k], &r.table.Columns[k]
	switch {
	case c.Interned():
		return r.stream.intern.Text(v.Texts[r.i])
	case c.Type == parquetlog.Text:
		return strings.ToValidUTF8(string(v.Bytes(r.i)), "\uFFFD")
	case c.Type == parquetlog.Double:
		return v.Doubles[r.i]
	case c.Type == parquetlog.Bool:
		return v.Bools[r.i]
	case c.Type == parquetlog.Int32:
		return int64(v.Int32s[r.i])
	}
	return v.Int64s[r.i]
}

// text returns a value of the current row as text.
func (r *rows) text(k int) string {
	if f, ok := r.value(k).(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(r.value(k))
}

// badJSON records the texts of a row that are not JSON. Each begins with its column.
func (r *rows) badJSON(wrong []string) {
	for _, w := range wrong {
		column, _, _ := strings.Cut(w, " ")
		r.problem(column, badConfig, w)
	}
}

// clean leaves the amounts out of a group of a configuration that cannot be.
func (r *rows) clean(prefix string, p *trace.PartialResources) {
	keep := func(suffix string, k resource.Kind, v *core.Optional[int64]) {
		if v.Set && !r.amount(prefix+suffix, k, v.Value) {
			*v = core.Optional[int64]{}
		}
	}
	keep("_user_slots", resource.UserSlots, &p.UserSlots)
	keep("_cpu_milli", resource.CPU, &p.CPUMilli)
	if p.GPU.Set && !r.amount(prefix+"_gpu", resource.GPU, int64(p.GPU.Value)) {
		p.GPU = core.Optional[int32]{}
	}
	keep("_memory", resource.Memory, &p.Memory)
	keep("_network", resource.Network, &p.Network)
}

// amount checks one amount of a setting, in the units of the file.
func (r *rows) amount(column string, k resource.Kind, amount int64) bool {
	stored := amount
	if k == resource.CPU {
		stored = trace.Cents(amount)
	}
	switch {
	case amount < 0:
		r.problem(column, negativeResource, strconv.FormatInt(amount, 10))
	case stored > resource.Unlimited[k]:
		r.problem(column, badNumber, strconv.FormatInt(amount, 10))
	default:
		return true
	}
	return false
}
