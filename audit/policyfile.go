package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"poolproof/core/judge"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
)

// A PolicyError is a fault of a policy file.
type PolicyError struct {
	File string
	Line int
	Text string
}

func (e *PolicyError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// BadInput tells that the fault is in what was read.
func (e *PolicyError) BadInput() bool { return true }

// ReadPolicy reads a policy file, in YAML or JSON, for the given audits. Its
// errors name the file and the line, all at once; a key that is not known is one.
func ReadPolicy(file string, text []byte, audits []*Audit) (policy *Policy, err error) {
	r := &policyReader{file: file, audits: audits, policy: NewPolicy()}
	defer func() {
		if p := recover(); p != nil { // the parser's way with some broken files
			policy, err = nil, &PolicyError{file, 1, fmt.Sprintf("is neither YAML nor JSON: %v", p)}
		}
	}()
	if line := input.TooDeep(text); line > 0 {
		return nil, &PolicyError{file, line, fmt.Sprintf("values nest deeper than %d levels", input.MaxDepth)}
	}
	if input.TooLong(text) {
		return nil, &PolicyError{file, input.MaxLines, "has more lines than a policy may have"}
	}
	body, err := r.parse(text)
	if err != nil || body == nil {
		return r.policy, err
	}
	return r.policy, r.readMap(body, "the policy", r.topKeys())
}

// A policyReader fills a policy from its file.
type policyReader struct {
	file   string
	audits []*Audit
	policy *Policy
}

// mostSlack bounds the slacks of the replay: what is more is a mistake.
const mostSlack = 1e6

// maxPolicy bounds the size of a policy file, in bytes.
const maxPolicy = 1 << 20

// parse returns the file's one document; nil if it is empty.
func (r *policyReader) parse(text []byte) (ast.Node, error) {
	if len(text) > maxPolicy {
		return nil, &PolicyError{r.file, 1, fmt.Sprintf("has %d bytes, and a policy has at most %d", len(text), maxPolicy)}
	}
	f, err := parser.ParseBytes(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), 0)
	if err != nil {
		return nil, r.wrap(1, err)
	}
	var body ast.Node
	for _, d := range f.Docs {
		switch {
		case d.Body == nil:
		case body != nil:
			return nil, r.errorf(d.Body, "a second document begins here, and a policy has one")
		default:
			body = d.Body
		}
	}
	return body, nil
}

// A policyKey is a key of a map and what becomes of its value.
type policyKey struct {
	name string
	read func(ast.Node) error
}

// topKeys are the keys of a policy: its own, then the audits with thresholds.
func (r *policyReader) topKeys() []policyKey {
	p := r.policy
	keys := []policyKey{
		{"fail_on", r.readFailOn},
		{"min_coverage", r.number(&p.MinCoverage, 0, 1)},
		{"min_time_coverage", r.number(&p.MinTimeCoverage, 0, 1)},
		{"min_check_coverage", r.number(&p.MinCheckCoverage, 0, 1)},
		{"min_kept_time", r.number(&p.MinKeptTime, 0, 1)},
		{"incident_gap_s", r.number(&p.IncidentGap, 0, 1e9)},
		{"slacks", func(n ast.Node) error { return r.readMap(n, "slacks", r.slackKeys()) }},
		{"slas", r.each(r.readSLA)},
		{"suppressions", r.each(r.readSuppression)},
	}
	return append(keys, r.thresholdKeys(func(name string, value float64) { p.Params[name] = fmt.Sprint(value) })...)
}

// thresholdKeys are the audits that have thresholds; set gets "audit.param".
func (r *policyReader) thresholdKeys(set func(name string, value float64)) []policyKey {
	var keys []policyKey
	for _, a := range r.audits {
		if len(a.Params) == 0 {
			continue
		}
		var params []policyKey
		for _, p := range a.Params {
			params = append(params, policyKey{p.Name, r.anyNumber(func(x float64) { set(a.ID+"."+p.Name, x) })})
		}
		keys = append(keys, policyKey{a.ID, func(n ast.Node) error { return r.readMap(n, a.ID, params) }})
	}
	return keys
}

// slackKeys are the names of the slacks of the replay, then of all parameters.
func (r *policyReader) slackKeys() []policyKey {
	var keys []policyKey
	for _, k := range judge.Settable {
		keys = append(keys, policyKey{k.Name, func(n ast.Node) error {
			var x float64
			err := r.number(&x, 0, mostSlack)(n)
			r.policy.Slacks[k.Name] = fmt.Sprint(x)
			return err
		}})
	}
	for _, a := range r.audits {
		for _, p := range a.Params {
			if !slices.ContainsFunc(keys, func(k policyKey) bool { return k.name == p.Name }) {
				keys = append(keys, policyKey{p.Name, r.anyNumber(func(x float64) { r.policy.Slacks[p.Name] = fmt.Sprint(x) })})
			}
		}
	}
	slices.SortFunc(keys, func(a, b policyKey) int { return cmp.Compare(a.name, b.name) })
	return keys
}

// renamed are keys of earlier versions by their names of today.
var renamed = map[string]string{"min_decision_coverage": "min_check_coverage", "min_ruling_coverage": "min_check_coverage"}

// readMap reads a map that has no other keys than those, and tells all its faults at once.
func (r *policyReader) readMap(n ast.Node, what string, keys []policyKey) error {
	var pairs []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.NullNode:
		return nil
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		return r.errorf(n, "%s is a map of %s", what, strings.Join(keyNames(keys), ", "))
	}
	var faults []error
	for _, pair := range pairs {
		faults = append(faults, r.readPair(pair, what, keys))
	}
	return errors.Join(faults...)
}

// readPair reads one entry of a map.
func (r *policyReader) readPair(pair *ast.MappingValueNode, what string, keys []policyKey) error {
	name := pair.Key.GetToken().Value
	i := slices.IndexFunc(keys, func(k policyKey) bool { return k.name == name })
	if now, ok := renamed[name]; i < 0 && ok {
		return r.errorf(pair.Key, "%s is called %s now", name, now)
	}
	if i < 0 {
		return r.errorf(pair.Key, "%s has no key %q; %s", what, name, spelling.Meant(name, keyNames(keys)))
	}
	return keys[i].read(pair.Value)
}

func keyNames(keys []policyKey) (names []string) {
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

// each reads the elements of a list.
func (r *policyReader) each(read func(ast.Node) error) func(ast.Node) error {
	return func(n ast.Node) error {
		if n.Type() == ast.NullType {
			return nil
		}
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			return r.errorf(n, "a list is wanted here")
		}
		var faults []error
		for _, v := range list.Values {
			faults = append(faults, read(v))
		}
		return errors.Join(faults...)
	}
}

func (r *policyReader) anyNumber(set func(float64)) func(ast.Node) error {
	return func(n ast.Node) error {
		x, err := parseNumber(n.GetToken().Value)
		if _, scalar := n.(ast.ScalarNode); !scalar || err != nil {
			return r.errorf(n, "a number of 0 or more is wanted here")
		}
		set(x)
		return nil
	}
}

func (r *policyReader) number(to *float64, least, most float64) func(ast.Node) error {
	return func(n ast.Node) error {
		var x float64
		if err := r.anyNumber(func(y float64) { x = y })(n); err != nil {
			return err
		}
		if x < least || x > most {
			return r.errorf(n, "%v is not between %v and %v", x, least, most)
		}
		*to = x
		return nil
	}
}

func (r *policyReader) text(to *string) func(ast.Node) error {
	return func(n ast.Node) error {
		if _, scalar := n.(ast.ScalarNode); !scalar || n.Type() == ast.NullType || n.GetToken().Value == "" {
			return r.errorf(n, "a text is wanted here")
		}
		*to = n.GetToken().Value
		return nil
	}
}

// parsed reads a text and has it parsed; its errors name the file and the line.
func (r *policyReader) parsed(to *string, name string, parse func() error) func(ast.Node) error {
	return func(n ast.Node) error {
		if err := r.text(to)(n); err != nil {
			return err
		}
		if err := parse(); err != nil {
			return r.errorf(n, "%s: %v", name, err)
		}
		return nil
	}
}

func (r *policyReader) glob(to *glob) func(ast.Node) error {
	return func(n ast.Node) error {
		var text string
		if err := r.text(&text)(n); err != nil {
			return err
		}
		*to = newGlob(text)
		return nil
	}
}

func (r *policyReader) poolGlob(to *poolGlob) func(ast.Node) error {
	return func(n ast.Node) error {
		var text string
		if err := r.text(&text)(n); err != nil {
			return err
		}
		*to = newPoolGlob(text)
		return nil
	}
}

func (r *policyReader) readFailOn(n ast.Node) error {
	r.policy.FailOn = []Severity{}
	return r.each(func(n ast.Node) error {
		var name string
		if err := r.text(&name)(n); err != nil {
			return err
		}
		s := Severity(name)
		if s == Info {
			return r.errorf(n, "findings of severity info never fail a run")
		}
		if !slices.Contains(Severities, s) {
			return r.errorf(n, "%q is no severity; %s", name, spelling.Meant(name, []string{string(Critical), string(Major), string(Minor)}))
		}
		if !slices.Contains(r.policy.FailOn, s) {
			r.policy.FailOn = append(r.policy.FailOn, s)
		}
		return nil
	})(n)
}

func (r *policyReader) errorf(n ast.Node, format string, args ...any) error {
	line := 1
	if t := n.GetToken(); t != nil && t.Position != nil {
		line = t.Position.Line
	}
	return &PolicyError{r.file, line, fmt.Sprintf(format, args...)}
}

// wrap takes the line of the library's error, if it has one.
func (r *policyReader) wrap(line int, err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return &PolicyError{r.file, at.GetToken().Position.Line, at.GetMessage()}
	}
	return &PolicyError{r.file, line, "is neither YAML nor JSON: " + err.Error()}
}
