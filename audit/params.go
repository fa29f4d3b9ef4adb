package audit

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
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
			return nil, &ParamError{name, errors.New("no audit has it; there are " + strings.Join(known, ", "))}
		}
	}
	return values, nil
}

// CheckParams refuses parameters that Run would refuse: a *ParamError. It lets a
// caller find out before the work that comes first.
func CheckParams(queries fs.FS, given map[string]string) error {
	audits, err := ReadAudits(queries)
	if err != nil {
		return err
	}
	_, err = paramValues(audits, given)
	return err
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

// ReadParams reads a file of thresholds, in YAML or JSON:
//
//	strong_guarantee_unmet:
//	  sla_s: 600
//
// It returns them as Options.Params takes them.
func ReadParams(r io.Reader) (map[string]string, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	audits := map[string]map[string]float64{}
	if err := yaml.Unmarshal(b, &audits); err != nil {
		return nil, fmt.Errorf("is no list of audits with their parameters: %w", err)
	}
	params := map[string]string{}
	for audit, values := range audits {
		for name, value := range values {
			params[audit+"."+name] = fmt.Sprint(value)
		}
	}
	return params, nil
}
