package audit

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"poolproof/core/spelling"
)

// A ParamError is a parameter that no audit has or that cannot be its value.
type ParamError struct {
	Name string // "audit.param"
	Err  error
}

func (e *ParamError) Error() string { return fmt.Sprintf("parameter %s: %v", e.Name, e.Err) }
func (e *ParamError) Unwrap() error { return e.Err }

// paramValues returns the parameters of each audit with the given values in
// place of the defaults.
func paramValues(audits []*Audit, given map[string]string) (map[*Audit][]sql.NamedArg, error) {
	known := []string{}
	values := map[*Audit][]sql.NamedArg{}
	for _, a := range audits {
		for _, p := range a.Params {
			name, value := a.ID+"."+p.Name, p.Default
			known = append(known, name)
			if text, ok := given[name]; ok {
				var err error
				if value, err = parseNumber(text); err != nil {
					return nil, &ParamError{name, err}
				}
			}
			values[a] = append(values[a], sql.Named(p.Name, sqlNumber(value)))
		}
	}
	names := []string{}
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, &ParamError{name, errors.New("no audit has it; " + spelling.Meant(name, known))}
		}
	}
	return values, nil
}

// byName returns the values of all parameters as "audit.param".
func byName(audits []*Audit, values map[*Audit][]sql.NamedArg) map[string]float64 {
	named := map[string]float64{}
	for _, a := range audits {
		for _, v := range values[a] {
			switch x := v.Value.(type) {
			case int64:
				named[a.ID+"."+v.Name] = float64(x)
			case float64:
				named[a.ID+"."+v.Name] = x
			}
		}
	}
	return named
}

// sqlNumber is an integer for SQL where the value is one.
func sqlNumber(x float64) any {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return int64(x)
	}
	return x
}
