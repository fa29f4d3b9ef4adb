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

// ReadPolicy reads a policy file, in YAML or JSON, for the given audits. Its
// errors name the file and the line, all at once; a key that is not known is one.
func ReadPolicy(file string, text []byte, audits []*Audit) (policy *Policy, err error) {
	r := &policyReader{file: file, audits: audits, policy: NewPolicy()}
	defer func() {
		if p := recover(); p != nil { // the parser's way with some broken files
			policy, err = nil, faultAt(file, 1, 1, "is neither YAML nor JSON: %v", p)
		}
	}()
	if line := input.TooDeep(text); line > 0 {
		return nil, faultAt(file, line, 1, "values nest deeper than %d levels", input.MaxDepth)
	}
	if input.TooLong(text) {
		return nil, faultAt(file, input.MaxLines, 1, "has more lines than a policy may have")
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
		return nil, faultAt(r.file, 1, 1, "has %d bytes, and a policy has at most %d", len(text), maxPolicy)
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
		{"fail_on_log_damage", r.flag(&p.FailOnLogDamage)},
		{"fail_on_unverifiable", r.readFailOnUnverified},
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

// thresholdKeys are the audits that have thresholds, by their names and by the rules that
// they judge; set gets "audit.param". What is set twice is an error: which value counts
// would be a guess.
func (r *policyReader) thresholdKeys(set func(name string, value float64)) []policyKey {
	var keys []policyKey
	by := map[string]string{} // "audit.param" to the key that set it
	for _, name := range auditNames(r.audits) {
		judges := auditsOf(r.audits, name)
		var params []policyKey
		for _, p := range paramsOf(judges) {
			params = append(params, policyKey{p, func(n ast.Node) error {
				var x float64
				if err := r.anyNumber(func(value float64) { x = value })(n); err != nil {
					return err
				}
				for _, a := range judges {
					if full := a.ID + "." + p; !a.hasParam(p) {
						continue
					} else if other, twice := by[full]; twice {
						return r.errorf(n, "%s is set twice: by %s and by %s", full, other, name)
					} else {
						by[full] = name
						set(full, x)
					}
				}
				return nil
			}})
		}
		switch {
		case len(params) > 0:
			keys = append(keys, policyKey{name, func(n ast.Node) error { return r.readMap(n, name, params) }})
		default:
			keys = append(keys, policyKey{name, func(n ast.Node) error {
				return r.errorf(n, "%s has no threshold", thresholdless(name, judges))
			}})
		}
	}
	return keys
}

// thresholdless names an audit, or a rule with the audits that judge it.
func thresholdless(name string, judges []*Audit) string {
	if judges[0].ID == name {
		return name
	}
	var ids []string
	for _, a := range judges {
		ids = append(ids, a.ID)
	}
	return fmt.Sprintf("%s is judged by %s, which", name, strings.Join(ids, ", "))
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

// fewKeys bounds the number of keys of a map in an error.
const fewKeys = 20

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
		names := keyNames(keys)
		if len(names) > fewKeys {
			names = append(names[:fewKeys:fewKeys], fmt.Sprintf("and %d more", len(names)-fewKeys))
		}
		return r.errorf(n, "%s is a map of %s", what, strings.Join(names, ", "))
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
		names := keyNames(keys)
		if len(names) > fewKeys {
			meant := spelling.MeantOr(name, names, "poolproof audit --help shows all keys")
			return r.errorf(pair.Key, "%s has no key %q; %s", what, name, meant)
		}
		return r.errorf(pair.Key, "%s has no key %q; %s", what, name, spelling.Meant(name, names))
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

// scalar returns the text of a scalar and the node of that text, under its anchor and tag; false if
// it is not a scalar, or empty.
func scalar(n ast.Node) (text string, of ast.Node, ok bool) {
	switch n := n.(type) {
	case *ast.AnchorNode:
		return scalar(n.Value)
	case *ast.TagNode:
		return scalar(n.Value)
	case *ast.LiteralNode: // its token is the | before the text
		text = strings.TrimRight(n.Value.Value, "\n")
	case *ast.StringNode:
		text = n.Value
	case *ast.NullNode, *ast.AliasNode, *ast.MergeKeyNode:
		return "", n, false
	case ast.ScalarNode:
		text = n.GetToken().Value
	}
	return text, n, text != ""
}

func (r *policyReader) anyNumber(set func(float64)) func(ast.Node) error {
	return func(n ast.Node) error {
		text, _, ok := scalar(n)
		x, err := parseNumber(text)
		if !ok || err != nil {
			return r.errorf(n, "a number of 0 or more is wanted here")
		}
		set(x)
		return nil
	}
}

func (r *policyReader) flag(to *bool) func(ast.Node) error {
	return func(n ast.Node) error {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return r.errorf(n, "true or false is wanted here")
		}
		*to = b.Value
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
		text, _, ok := scalar(n)
		if !ok {
			return r.errorf(n, "a text is wanted here")
		}
		*to = text
		return nil
	}
}

// parsed reads a text and has it parsed. Its errors name the file, the line and the column,
// of a textFault that of the part in question.
func (r *policyReader) parsed(to *string, name string, parse func() error) func(ast.Node) error {
	return func(n ast.Node) error {
		if err := r.text(to)(n); err != nil {
			return err
		}
		err := parse()
		if err == nil {
			return nil
		}
		_, of, _ := scalar(n)
		line, column := position(of)
		var fault textFault
		if errors.As(err, &fault) && strings.Contains(of.GetToken().Origin, *to) {
			column += fault.at + strings.Index(strings.TrimLeft(of.GetToken().Origin, " \t\n"), *to)
		}
		return faultAt(r.file, line, column, "%s: %v", name, err)
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

func (r *policyReader) readFailOnUnverified(n ast.Node) error {
	return r.each(func(n ast.Node) error {
		var pools string
		err := r.text(&pools)(n)
		r.policy.FailOnUnverified = append(r.policy.FailOnUnverified, pools)
		return err
	})(n)
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
			return r.errorf(n, "unknown severity %q; %s", name, spelling.Meant(name, []string{string(Critical), string(Major), string(Minor)}))
		}
		if !slices.Contains(r.policy.FailOn, s) {
			r.policy.FailOn = append(r.policy.FailOn, s)
		}
		return nil
	})(n)
}

// faultAt returns the error that a policy is wrong at a place.
func faultAt(file string, line, column int, format string, args ...any) error {
	fault := input.At(file, line, format, args...)
	fault.Column = column
	return fault
}

func (r *policyReader) errorf(n ast.Node, format string, args ...any) error {
	line, column := position(n)
	return faultAt(r.file, line, column, format, args...)
}

// position returns the start of a node, from 1 on.
func position(n ast.Node) (line, column int) {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, t.Position.Column
	}
	return 1, 1
}

// wrap takes the line of the library's error, if it has one.
func (r *policyReader) wrap(line int, err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		p := at.GetToken().Position
		return faultAt(r.file, p.Line, p.Column, "%s", at.GetMessage())
	}
	return faultAt(r.file, line, 1, "is neither YAML nor JSON: %v", err)
}
