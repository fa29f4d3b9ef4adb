package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"poolproof/audit"
)

// A junitSuites is the document that CI systems read: a suite per tree, a case
// per audit. It is red where the run's exit code is not 0.
type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Suites   []junitSuite
}

type junitSuite struct {
	XMLName    xml.Name        `xml:"testsuite"`
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Timestamp  string          `xml:"timestamp,attr"` // begin of the judged window
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Cases      []junitCase
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	XMLName   xml.Name      `xml:"testcase"`
	ClassName string        `xml:"classname,attr"`
	Name      string        `xml:"name,attr"`
	Failure   *junitOutcome `xml:"failure"`
	Error     *junitOutcome `xml:"error"`
	Skipped   *junitOutcome `xml:"skipped"`
	Output    string        `xml:"system-out,omitempty"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// jUnit writes the verdict as jUnit XML: one suite per tree with one case per
// audit, and one more suite whose cases are the coverage that was asked for and the
// promises that must not be unverifiable. A case fails where a finding fails the run, errs where the audit did not run,
// and is skipped where nothing could be judged; what else was found is its
// output.
func jUnit(w io.Writer, v *audit.Verdict) error {
	all := junitSuites{Name: "poolproof"}
	for _, tree := range v.Trees {
		suite := junitSuite{Name: tree, Properties: []junitProperty{{"profile", v.Profile}, {"from", v.From}, {"to", v.To}}}
		for _, o := range v.Outcomes {
			if o.Tree == tree {
				suite.Cases = append(suite.Cases, junitAudit(v, o))
			}
		}
		all.Suites = append(all.Suites, suite)
	}
	asked := junitSuite{Name: "run", Cases: []junitCase{junitCoverage(v)}}
	if len(v.FailOnUnverified) > 0 {
		asked.Cases = append(asked.Cases, junitUnverified(v))
	}
	all.Suites = append(all.Suites, asked)
	all.count(v)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitAudit is the case of an audit in a tree.
func junitAudit(v *audit.Verdict, o audit.Outcome) junitCase {
	c := junitCase{ClassName: "poolproof." + o.Tree, Name: o.Audit.ID}
	var failing, others []audit.Finding
	for _, f := range v.Findings {
		switch {
		case f.Audit != o.Audit.ID || f.Tree != o.Tree:
		case v.Fails(f):
			failing = append(failing, f)
		default:
			others = append(others, f)
		}
	}
	switch {
	case o.Verdict == audit.Failed:
		c.Error = &junitOutcome{Message: o.Audit.Title + ": the audit did not run", Type: "failed", Text: o.Reason}
	case len(failing) > 0:
		c.Failure = &junitOutcome{Message: failing[0].Reason, Type: string(failing[0].Severity), Text: junitText(failing)}
	case o.Verdict == audit.Undecidable || o.Verdict == audit.Idle:
		c.Skipped = &junitOutcome{Message: o.Reason}
	}
	c.Output = junitText(others)
	return c
}

// shownInCase bounds the number of findings in a case.
const shownInCase = 50

// junitText is a line per finding.
func junitText(findings []audit.Finding) string {
	var b strings.Builder
	for i, f := range findings {
		if i == shownInCase {
			fmt.Fprintf(&b, "and %d more\n", len(findings)-i)
			break
		}
		fmt.Fprintf(&b, "%s %s: %s (%s)\n", f.ID, verdictOf(f), f.Reason, span(f.From, f.To))
	}
	return b.String()
}

// junitCoverage is the case that stands for exit code 3.
func junitCoverage(v *audit.Verdict) junitCase {
	c := junitCase{ClassName: "poolproof", Name: "coverage"}
	if short := shortfalls(v); len(short) > 0 {
		c.Failure = &junitOutcome{Message: short[0], Type: "coverage", Text: strings.Join(short, "\n") + "\n"}
	}
	for _, line := range summarize(v).coverageLines() {
		c.Output += line + "\n"
	}
	return c
}

// junitUnverified is the case that fails where unverifiable promises fail the run.
func junitUnverified(v *audit.Verdict) junitCase {
	c := junitCase{ClassName: "poolproof", Name: "unverifiable promises"}
	var lines []string
	for _, p := range v.Unverified() {
		lines = append(lines, fmt.Sprintf("tree %s: %s %s %s", p.Tree, p.Statement, p.Reason, p.Missing))
	}
	if len(lines) > 0 {
		c.Failure = &junitOutcome{Message: lines[0], Type: "unverifiable", Text: strings.Join(lines, "\n") + "\n"}
	}
	return c
}

// count fills in the sums of the suites.
func (all *junitSuites) count(v *audit.Verdict) {
	for i := range all.Suites {
		s := &all.Suites[i]
		s.Timestamp, s.Tests = strings.TrimSuffix(v.From, "Z"), len(s.Cases)
		for _, c := range s.Cases {
			if c.Failure != nil {
				s.Failures++
			}
			if c.Error != nil {
				s.Errors++
			}
			if c.Skipped != nil {
				s.Skipped++
			}
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
}
