package audit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"poolproof/core/spelling"
)

// values are those of an audit's parameters, by name.
type values map[string]float64

// paramPattern is a parameter in an audit's query.
var paramPattern = regexp.MustCompile(`\$[a-z][a-z0-9_]*`)

// fill writes the values into a query. DuckDB would plan a query twice whose parameters are
// bound: it learns their types only from the values.
func (v values) fill(query string) string {
	return paramPattern.ReplaceAllStringFunc(query, func(name string) string {
		x, ok := v[name[1:]]
		if !ok {
			return name // DuckDB's complaint names it
		}
		return sqlNumber(x)
	})
}

// paramValues returns the parameters of each audit with the given values in
// place of the defaults.
func paramValues(audits []*Audit, given map[string]string) (map[*Audit]values, error) {
	known := []string{}
	all := map[*Audit]values{}
	for _, a := range audits {
		all[a] = values{}
		for _, p := range a.Params {
			name, value := a.ID+"."+p.Name, p.Default
			known = append(known, name)
			if text, ok := given[name]; ok {
				var err error
				if value, err = parseNumber(text); err != nil {
					return nil, &UsageError{fmt.Errorf("parameter %s: %w", name, err)}
				}
			}
			all[a][p.Name] = value
		}
	}
	names := []string{}
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, &UsageError{fmt.Errorf("parameter %s: no audit has it; %s", name, spelling.Meant(name, known))}
		}
	}
	return all, nil
}

// byName returns the values of all parameters as "audit.param".
func byName(audits []*Audit, all map[*Audit]values) map[string]float64 {
	named := map[string]float64{}
	for _, a := range audits {
		for name, x := range all[a] {
			named[a.ID+"."+name] = x
		}
	}
	return named
}

// sqlNumber is a number for SQL, an integer where it is one.
func sqlNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return fmt.Sprintf("%d::BIGINT", int64(x))
	}
	return strconv.FormatFloat(x, 'e', -1, 64) + "::DOUBLE"
}
