package docs

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"poolproof/cmd/poolproof/commandtest"
)

// An alertRule is one of the rules in audit/ALERTS.md.
type alertRule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// alertRules reads the rules of the page as Prometheus would: a key that it does not know is an error.
func alertRules(t *testing.T) []alertRule {
	t.Helper()
	page, err := os.ReadFile(commandtest.InProject("audit/ALERTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	text, _, ok := strings.Cut(rest, "\n```")
	var file struct {
		Groups []struct {
			Name  string      `yaml:"name"`
			Rules []alertRule `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.UnmarshalWithOptions([]byte(text), &file, yaml.Strict()); !ok || err != nil || len(file.Groups) != 1 {
		t.Fatal(ok, err, file)
	}
	return file.Groups[0].Rules
}

// A series is one of a file of metrics, or of the result of an expression.
type series struct {
	name   string
	labels map[string]string
	value  float64
}

func (s *series) key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.labels)) {
		fmt.Fprintf(&b, "%s=%q,", name, s.labels[name])
	}
	return b.String()
}

var (
	sampleLine = regexp.MustCompile(`^([a-z_]+)\{(.*)\} (-?[0-9.e+-]+)$`)
	labelText  = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)`)
)

// readMetrics reads a file for the collector of text files. It checks what that refuses: metrics
// in parts, a series twice; and that every series has the label cluster.
func readMetrics(t *testing.T, text string) (all []series) {
	t.Helper()
	family, seen := "", map[string]bool{}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			family, _ = strings.CutSuffix(name, " gauge")
			if seen[family] {
				t.Errorf("metric %s has two parts", family)
			}
			seen[family] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || m[1] != family {
			t.Errorf("not a sample of %s: %q", family, line)
			continue
		}
		s := series{name: m[1], labels: map[string]string{}}
		for _, l := range labelText.FindAllStringSubmatch(m[2], -1) {
			s.labels[l[1]] = l[2]
		}
		s.value, _ = strconv.ParseFloat(m[3], 64)
		if _, ok := s.labels["cluster"]; !ok {
			t.Errorf("a series without cluster: %s", line)
		}
		if id := s.name + s.key(); seen[id] {
			t.Errorf("a series twice: %s", line)
		} else {
			seen[id] = true
		}
		all = append(all, s)
	}
	return all
}

// A promql evaluates the part of Prometheus's language that the alerts use, over series at a
// time: selectors without labels, numbers, time(), absent(), arithmetic, comparisons of a vector
// with a scalar, and "and".
type promql struct {
	words []string
	now   time.Time
	of    []series
	known map[string]bool // metrics of selectors
	err   error
}

var promqlWord = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*|[0-9.]+|[=!<>]=|\S`)

// evaluate returns the series for which an expression holds.
func evaluate(expr string, now time.Time, of []series) (*promql, []series) {
	p := &promql{words: promqlWord.FindAllString(expr, -1), now: now, of: of, known: map[string]bool{}}
	result := p.conjunction()
	if p.err == nil && len(p.words) > 0 {
		p.fail("unexpected %q", p.words[0])
	}
	return p, result.vector
}

// A promqlValue is a vector, or a scalar.
type promqlValue struct {
	vector []series
	scalar float64
	is     bool // a scalar
}

func (p *promql) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.words = nil
}

func (p *promql) next() string {
	if len(p.words) == 0 {
		p.fail("the expression ends too soon")
		return ""
	}
	word := p.words[0]
	p.words = p.words[1:]
	return word
}

func (p *promql) at(words ...string) bool {
	return len(p.words) > 0 && slices.Contains(words, p.words[0])
}

func (p *promql) conjunction() promqlValue {
	left := p.comparison()
	for p.at("and") {
		p.next()
		right := p.comparison()
		if left.is || right.is {
			p.fail("and of scalars")
		}
		left.vector = slices.DeleteFunc(slices.Clone(left.vector), func(s series) bool {
			return !slices.ContainsFunc(right.vector, func(r series) bool { return r.key() == s.key() })
		})
	}
	return left
}

func (p *promql) comparison() promqlValue {
	left := p.binary([]string{"+", "-"}, func() promqlValue { return p.binary([]string{"*", "/"}, p.term) })
	if !p.at("==", "!=", "<", ">", "<=", ">=") {
		return left
	}
	op := p.next()
	right := p.binary([]string{"+", "-"}, func() promqlValue { return p.binary([]string{"*", "/"}, p.term) })
	if left.is || !right.is {
		p.fail("%s is of a vector and a scalar here", op)
		return left
	}
	holds := map[string]func(a, b float64) bool{
		"==": func(a, b float64) bool { return a == b }, "!=": func(a, b float64) bool { return a != b },
		"<": func(a, b float64) bool { return a < b }, ">": func(a, b float64) bool { return a > b },
		"<=": func(a, b float64) bool { return a <= b }, ">=": func(a, b float64) bool { return a >= b },
	}[op]
	left.vector = slices.DeleteFunc(slices.Clone(left.vector), func(s series) bool { return !holds(s.value, right.scalar) })
	return left
}

func (p *promql) binary(ops []string, operand func() promqlValue) promqlValue {
	left := operand()
	for p.at(ops...) {
		op := p.next()
		right := operand()
		do := map[string]func(a, b float64) float64{
			"+": func(a, b float64) float64 { return a + b }, "-": func(a, b float64) float64 { return a - b },
			"*": func(a, b float64) float64 { return a * b }, "/": func(a, b float64) float64 { return a / b },
		}[op]
		switch {
		case left.is && right.is:
			left.scalar = do(left.scalar, right.scalar)
		case left.is != right.is:
			vector := append(slices.Clone(left.vector), right.vector...)
			for i := range vector {
				a, b := vector[i].value, vector[i].value
				if left.is {
					a = left.scalar
				} else {
					b = right.scalar
				}
				vector[i].value = do(a, b)
			}
			left = promqlValue{vector: vector}
		default:
			p.fail("%s of two vectors", op)
		}
	}
	return left
}

func (p *promql) term() promqlValue {
	word := p.next()
	if x, err := strconv.ParseFloat(word, 64); err == nil {
		return promqlValue{scalar: x, is: true}
	}
	switch {
	case word == "(":
		inner := p.conjunction()
		p.expect(")")
		return inner
	case word == "time":
		p.expect("(")
		p.expect(")")
		return promqlValue{scalar: float64(p.now.UnixMicro()) / 1e6, is: true}
	case word == "absent":
		p.expect("(")
		inner := p.conjunction()
		p.expect(")")
		if len(inner.vector) > 0 {
			return promqlValue{}
		}
		return promqlValue{vector: []series{{value: 1}}}
	case strings.HasPrefix(word, "poolproof_"):
		p.known[word] = true
		var found []series
		for _, s := range p.of {
			if s.name == word {
				found = append(found, s)
			}
		}
		return promqlValue{vector: found}
	}
	p.fail("unexpected %q", word)
	return promqlValue{scalar: math.NaN(), is: true}
}

func (p *promql) expect(word string) {
	if got := p.next(); got != word {
		p.fail("unexpected %q, want %q", got, word)
	}
}

// firing names the alerts that hold for a file of metrics at a time.
func firing(t *testing.T, metrics string, now time.Time) string {
	t.Helper()
	of := []series{}
	if metrics != "" {
		of = readMetrics(t, metrics)
	}
	var names []string
	for _, r := range alertRules(t) {
		p, held := evaluate(r.Expr, now, of)
		if p.err != nil {
			t.Errorf("%s: %v", r.Alert, p.err)
		}
		if len(held) > 0 {
			names = append(names, strings.TrimPrefix(r.Alert, "Poolproof"))
		}
	}
	return strings.Join(names, " ")
}

// TestTheAlertsAreWellFormed: each rule has what Prometheus asks of it, a sentence that uses
// labels that its series have, and only metrics that a night leaves.
func TestTheAlertsAreWellFormed(t *testing.T) {
	t.Parallel()
	night := newNight(t)
	night.judge(t, 0, "2024-05-01")
	metrics := readMetrics(t, night.metrics(t))
	known := map[string]bool{}
	for _, s := range metrics {
		known[s.name] = true
	}
	names := map[string]bool{}
	for _, r := range alertRules(t) {
		if names[r.Alert] || !regexp.MustCompile(`^Poolproof[A-Za-z]+$`).MatchString(r.Alert) || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
			t.Errorf("%+v", r)
		}
		names[r.Alert] = true
		if _, err := time.ParseDuration(r.For); r.For != "" && err != nil {
			t.Errorf("%s: %v", r.Alert, err)
		}
		p, _ := evaluate(r.Expr, time.Now(), metrics)
		if p.err != nil || len(p.known) == 0 {
			t.Errorf("%s: %v", r.Alert, p.err)
		}
		for name := range p.known {
			if !known[name] {
				t.Errorf("%s: no night leaves the metric %s", r.Alert, name)
			}
		}
		for _, text := range r.Annotations {
			for _, m := range regexp.MustCompile(`\{\{(.*?)\}\}`).FindAllStringSubmatch(text, -1) {
				if strings.TrimSpace(m[1]) != "$labels.cluster" || strings.Contains(r.Expr, "absent(") {
					t.Errorf("%s: the series have no %s", r.Alert, m[1])
				}
			}
		}
	}
	page, err := os.ReadFile(commandtest.InProject("audit/ALERTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`(poolproof_[a-z_]+)`").FindAllStringSubmatch(string(page), -1) {
		if !known[m[1]] {
			t.Errorf("the page names %s, which no night leaves", m[1])
		}
	}
	for _, wrong := range []string{"poolproof_x == ", "poolproof_x = 1", "(poolproof_x == 1", "poolproof_x 1", "time( > 3", "1 and poolproof_x", "poolproof_x == poolproof_y"} {
		if p, _ := evaluate(wrong, time.Now(), metrics); p.err == nil {
			t.Errorf("%q is taken for an expression", wrong)
		}
	}
}
