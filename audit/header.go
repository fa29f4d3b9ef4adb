package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"poolproof/core/spec"
)

// An Audit is one file of queries/audits: what it promises and how it judges.
type Audit struct {
	ID         string   // the file's name without .sql
	Title      string   // what is wrong where it finds something
	Promise    string   // what holds where it finds nothing
	Why        string   // how it judges, for a person
	Source     string   // where the rule stands, for who changes it; reports leave it out
	Invariants []string // ids of core/spec/rules.txt
	Severity   Severity // of its rules
	Concerns   string   // what its rules are about: the log, or empty, the scheduler
	Judges     []string // kinds of promises (view promise_terms) that its findings break; "kind:ID" those of one rule
	Breaks     []string // kinds of promises that a finding of it breaks, though finding nothing keeps none; "kind:ID" by findings of one rule only
	Reads      []string // tables
	From       string   // the source of the queries that the file does not hold; empty where it holds all
	Params     []Param
	Needs      []Need

	Findings string // the query that selects what is wrong
	Seen     string // the query that says how much was judged per tree
	Tested   string // the query that says whose promises were judged, and when; of audits that judge promises
}

// A Severity says how bad a violation is.
type Severity = spec.Severity

// The severities, worst first.
const (
	Critical = spec.Critical
	Major    = spec.Major
	Minor    = spec.Minor
	Info     = spec.Info // never counts against the scheduler
)

// concernsLog marks audits of rules about the log: a finding is damage of the log, and no breach of the scheduler.
const concernsLog = "log"

// Severities are all severities, worst first.
var Severities = []Severity{Critical, Major, Minor, Info}

// A Param is a threshold that a user may change, $name in the SQL.
type Param struct {
	Name     string
	Default  float64
	Unit     string
	Sentence string
}

// A Need is something that the log must hold for the audit to judge a tree: a
// row of the table coverage with one of the states.
type Need struct {
	Aspect   string
	States   []string
	Sentence string // what is missing without it
}

// seenMark and testedMark part the queries of a file.
const (
	seenMark   = "-- @seen"
	testedMark = "-- @tested"
)

var wordPattern = regexp.MustCompile(`^[a-z][a-z0-9_.]*$`)

// ReadAudits reads all files audits/<topic>/<name>.sql, in the order of their
// paths.
func ReadAudits(queries fs.FS) ([]*Audit, error) {
	files, err := fs.Glob(queries, "audits/*/*.sql")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("there are no audits: audits/<topic>/<name>.sql")
	}
	var audits []*Audit
	for _, file := range files {
		text, err := fs.ReadFile(queries, file)
		if err != nil {
			return nil, err
		}
		a, err := parseAudit(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if a.ID+".sql" != path.Base(file) {
			return nil, fmt.Errorf("%s: its @audit is %s: name the file for the audit", file, a.ID)
		}
		if slices.ContainsFunc(audits, func(b *Audit) bool { return a.ID == b.ID }) {
			return nil, fmt.Errorf("%s: there is another audit %s", file, a.ID)
		}
		audits = append(audits, a)
	}
	return audits, nil
}

// parseAudit reads the text of one file: lines "-- @key value" on top, which a
// comment line without a key continues, then the queries.
func parseAudit(text string) (*Audit, error) {
	fields, rest, err := headerFields(text)
	if err != nil {
		return nil, err
	}
	a := &Audit{}
	for _, f := range fields {
		if err := a.set(f.key, f.value); err != nil {
			return nil, fmt.Errorf("@%s: %w", f.key, err)
		}
	}
	queries, tested, _ := strings.Cut("\n"+rest, "\n"+testedMark+"\n")
	findings, seen, ok := strings.Cut(queries, "\n"+seenMark+"\n")
	if !ok && a.From == "" {
		return nil, fmt.Errorf("no line %q: an audit says how much it saw", seenMark)
	}
	a.Findings, a.Seen, a.Tested = statement(findings), statement(seen), statement(tested)
	if err := a.fill(); err != nil {
		return nil, err
	}
	if err := a.takeRules(); err != nil {
		return nil, fmt.Errorf("@invariant: %w", err)
	}
	return a, a.check()
}

// takeRules takes severity and concern from the rules, which must agree on both.
func (a *Audit) takeRules() error {
	for _, id := range a.Invariants {
		rule, concerns := spec.Of(id), ""
		if rule.OfLog {
			concerns = concernsLog
		}
		switch {
		case rule.ID == "":
			return fmt.Errorf("unknown rule %q (want an id of core/spec/rules.txt)", id)
		case a.Severity != "" && (a.Severity != rule.Severity || a.Concerns != concerns):
			return fmt.Errorf("%s and %s differ in severity, or one is about the log (want an audit for each)", a.Invariants[0], id)
		}
		a.Severity, a.Concerns = rule.Severity, concerns
	}
	return nil
}

// statement trims a query and the semicolon that ends it.
func statement(s string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ";"))
}

type headerField struct{ key, value string }

// headerFields parts the comment lines on top of a text from the rest.
func headerFields(text string) (fields []headerField, rest string, err error) {
	for rest = text; strings.HasPrefix(rest, "--"); {
		line, after, _ := strings.Cut(rest, "\n")
		content := strings.TrimSpace(strings.TrimPrefix(line, "--"))
		if "-- "+content == seenMark || "-- "+content == testedMark {
			break
		}
		rest = after
		if tag, ok := strings.CutPrefix(content, "@"); ok {
			key, value, _ := strings.Cut(tag, " ")
			fields = append(fields, headerField{key, strings.TrimSpace(value)})
			continue
		}
		if len(fields) == 0 {
			return nil, "", fmt.Errorf("the header begins with %q and not with a key", line)
		}
		last := &fields[len(fields)-1]
		last.value = strings.TrimSpace(last.value + " " + content)
	}
	return fields, rest, nil
}

// set takes over one field of the header.
func (a *Audit) set(key, value string) error {
	if value == "" {
		return errors.New("has no value")
	}
	switch key {
	case "audit":
		return setOnce(&a.ID, value)
	case "title":
		return setOnce(&a.Title, value)
	case "promise":
		return setOnce(&a.Promise, value)
	case "why":
		return setOnce(&a.Why, value)
	case "source":
		return setOnce(&a.Source, value)
	case "from":
		return setOnce(&a.From, value)
	case "invariant":
		a.Invariants = append(a.Invariants, splitList(value)...)
	case "judges":
		a.Judges = append(a.Judges, splitList(value)...)
	case "breaks":
		a.Breaks = append(a.Breaks, splitList(value)...)
	case "reads":
		a.Reads = append(a.Reads, splitList(value)...)
	case "param":
		return a.addParam(value)
	case "needs":
		return a.addNeed(value)
	default:
		return errors.New("unknown key of a header")
	}
	return nil
}

func setOnce(field *string, value string) error {
	if *field != "" {
		return errors.New("stands twice")
	}
	*field = value
	return nil
}

func splitList(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// sentenceMark parts the sentence of a parameter or need from what is before.
const sentenceMark = " — "

// addParam reads "name default unit — sentence".
func (a *Audit) addParam(value string) error {
	words, sentence, ok := strings.Cut(value, sentenceMark)
	f := strings.Fields(words)
	if !ok || len(f) != 3 {
		return errors.New(`is not "name default unit — sentence"`)
	}
	x, err := parseNumber(f[1])
	if err != nil {
		return err
	}
	a.Params = append(a.Params, Param{f[0], x, f[2], strings.TrimSpace(sentence)})
	return nil
}

func parseNumber(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x-x != 0 { // no number, or infinite
		return 0, fmt.Errorf("invalid number %q", s)
	}
	if x < 0 {
		return 0, fmt.Errorf("%q is below 0, and no threshold is", s)
	}
	return x, nil
}

// addNeed reads "aspect state|state — sentence".
func (a *Audit) addNeed(value string) error {
	words, sentence, ok := strings.Cut(value, sentenceMark)
	f := strings.Fields(words)
	if !ok || len(f) != 2 {
		return errors.New(`is not "aspect state|state — sentence"`)
	}
	a.Needs = append(a.Needs, Need{f[0], strings.Split(f[1], "|"), strings.TrimSpace(sentence)})
	return nil
}

// check looks for what is missing or malformed.
func (a *Audit) check() error {
	for _, f := range []headerField{
		{"audit", a.ID}, {"title", a.Title}, {"promise", a.Promise},
		{"invariant", strings.Join(a.Invariants, ",")}, {"reads", strings.Join(a.Reads, ",")},
	} {
		if f.value == "" {
			return fmt.Errorf("the header has no @%s", f.key)
		}
	}
	words := append([]string{a.ID}, a.Reads...)
	for _, b := range slices.Concat(a.Judges, a.Breaks) {
		kind, rule, ok := strings.Cut(b, ":")
		if words = append(words, kind); ok && !slices.Contains(a.Invariants, rule) {
			return fmt.Errorf("@judges or @breaks: %q names a rule that @invariant does not", b)
		}
	}
	for _, p := range a.Params {
		words = append(words, p.Name)
	}
	for _, n := range a.Needs {
		words = append(append(words, n.Aspect), n.States...)
	}
	for _, w := range words {
		if !wordPattern.MatchString(w) {
			return fmt.Errorf("invalid word %q (want lower case letters, digits and underscores)", w)
		}
	}
	for i, p := range a.Params {
		if slices.ContainsFunc(a.Params[:i], func(q Param) bool { return p.Name == q.Name }) {
			return fmt.Errorf("@param: %s stands twice", p.Name)
		}
	}
	if a.Findings == "" || a.Seen == "" {
		return errors.New("a query is missing before or after " + seenMark)
	}
	if (a.Tested == "") != (len(a.Judges) == 0) {
		return errors.New("a query after " + testedMark + " belongs to @judges, and only to it")
	}
	return nil
}

// breaks reports whether a violation of a rule breaks promises of a kind.
func (a *Audit) breaks(kind, rule string) bool {
	of := func(list []string) bool { return slices.Contains(list, kind) || slices.Contains(list, kind+":"+rule) }
	return of(a.Judges) || of(a.Breaks)
}

// Text is the audit as a file that parseAudit reads.
func (a *Audit) Text() string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "-- @%-9s %s\n", key, value)
		}
	}
	line("audit", a.ID)
	line("title", a.Title)
	line("promise", a.Promise)
	line("invariant", strings.Join(a.Invariants, ", "))
	line("judges", strings.Join(a.Judges, ", "))
	line("breaks", strings.Join(a.Breaks, ", "))
	line("reads", strings.Join(a.Reads, ", "))
	line("from", a.From)
	for _, p := range a.Params {
		line("param", fmt.Sprintf("%s %s %s%s%s", p.Name, strconv.FormatFloat(p.Default, 'g', -1, 64), p.Unit, sentenceMark, p.Sentence))
	}
	for _, n := range a.Needs {
		line("needs", fmt.Sprintf("%s %s%s%s", n.Aspect, strings.Join(n.States, "|"), sentenceMark, n.Sentence))
	}
	line("source", a.Source)
	line("why", a.Why)
	if a.isOwn(a.Findings, a.findingsFrom) {
		if strings.HasPrefix(a.Findings, "--") {
			b.WriteByte('\n') // a comment of the query continues no field
		}
		fmt.Fprintf(&b, "%s;\n", a.Findings)
	}
	if a.isOwn(a.Seen, a.seenFrom) {
		fmt.Fprintf(&b, "%s\n%s;\n", seenMark, a.Seen)
	}
	if a.Tested != "" {
		fmt.Fprintf(&b, "%s\n%s;\n", testedMark, a.Tested)
	}
	return b.String()
}
