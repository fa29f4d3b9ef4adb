package audit

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"poolproof/queries"
)

// A mutant is one of the project's SQL files with one small fault. The tests that
// name the file's audits must fail over it: `make mutate` makes all mutants of the
// files that FILES matches and lists those that no test notices. Each of these wants a
// row in a test, or a line in equivalents that says why no row could show it.

// equivalents are mutants that do what the file does, each with the reason.
var equivalents = map[string]string{
	`old_job_preempted: "WHERE " becomes "WHERE true OR " in: WHERE younger_elsewhere <> ''`:                                                                                                                               "where there is no younger one its age is null",
	`integral_guarantee_unmet: "bool_and" becomes "bool_or" in: WHEN bool_and(coalesce(pools, 0) = 0) THEN 'no pool has an integral guarantee'`:                                                                            "all rows of a tree have the same number",
	`preemption_before_backoff: "UNION ALL" becomes "UNION" in: UNION ALL`:                                                                                                                                                 "what was tested twice alike was tested",
	`preemption_of_protected_job: "UNION ALL" becomes "UNION" in: UNION ALL`:                                                                                                                                               "what was tested twice alike was tested",
	`preemption_names_nobody: "WHERE " becomes "WHERE true OR " in: SELECT DISTINCT job FROM jobs WHERE job IN (SELECT beneficiary_job FROM preemptions)`:                                                                  "jobs that nobody names are joined with nothing",
	`preemption_names_nobody: "UNION ALL" becomes "UNION" in: UNION ALL`:                                                                                                                                                   "the aspects of the two differ, and each has one row of an operation",
	`blind: "FILTER (" becomes "FILTER (true OR " in: SELECT trees.tree, coalesce(list({'cause': cause, 'from_time': b.from_time, 'to_time': b.to_time} ORDER BY b.from_time) FILTER (b.tree IS NOT NULL), []) AS windows`: "a window without times is within no span",
	`preemption_without_beneficiary: "UNION ALL" becomes "UNION" in: UNION ALL`:                                                                                                                                            "the other findings have other aspects, and each operation one row here",
	`usage_above_max_share: " > " becomes " >= " in: FROM above WHERE excess > $eps`:                                                                                                                                       "a tolerance of sums in floating point has no edge",
}

// mutantVariable names a mutated file to a test process, as "file in queries=file on disk".
const mutantVariable = "POOLPROOF_MUTANT"

// mutantFiles are the files that a run of mutants is about, as a regular expression
// over their paths.
const mutantFiles = "POOLPROOF_MUTATE"

// A mutant is where a file is changed, and into what.
type mutant struct {
	file, text string // text is the whole file
	line       int
	from, to   string
	code       string // the line as it was
}

func (m mutant) String() string {
	return fmt.Sprintf("%s: %q becomes %q in: %s", strings.TrimSuffix(path.Base(m.file), ".sql"), m.from, m.to, m.code)
}

// A mutation is a kind of fault: what it is planted in, and what it makes of it.
type mutation struct {
	at   *regexp.Regexp
	into func(string) string
}

func swap(a, b string) mutation {
	return mutation{regexp.MustCompile(`\b(?:` + a + `|` + b + `)\b`), func(s string) string {
		if s == a {
			return b
		}
		return a
	}}
}

func replace(at, with string) mutation {
	return mutation{regexp.MustCompile(at), func(string) string { return with }}
}

// mutations are those that are tried at every place outside of comments, texts for
// a person and evidence.
var mutations = []mutation{
	{regexp.MustCompile(` (?:<=|>=|<|>) `), func(s string) string {
		return map[string]string{" <= ": " < ", " >= ": " > ", " < ": " <= ", " > ": " >= "}[s]
	}},
	replace(` = `, " <> "), replace(` <> `, " = "),
	replace(`\bAND\b`, "OR"), replace(`\bOR\b`, "AND"),
	replace(`\bWHERE `, "WHERE true OR "), replace(`\bHAVING `, "HAVING true OR "), replace(`FILTER \(`, "FILTER (true OR "),
	replace(`\bWHEN `, "WHEN false AND "), // takes away an excuse
	replace(`\bNOT EXISTS`, "EXISTS"), replace(`\bIS NOT NULL\b`, "IS NULL"), replace(`\bIS NULL\b`, "IS NOT NULL"),
	replace(`\bLEFT JOIN\b`, "JOIN"), replace(`\bUNION ALL\b`, "UNION"),
	swap("min", "max"), swap("arg_min", "arg_max"), swap("bool_and", "bool_or"), swap("lead", "lag"), swap("greatest", "least"),
	replace(`'violated'`, "'suspect'"), replace(`'excused'`, "'violated'"), replace(`'suspect'`, "'violated'"),
	{regexp.MustCompile(`\b\d+(?:\.\d+)?(?:e\d+)?\b`), func(s string) string { return s + " * 2 + 1" }},
	replace(`\$\w+`, "0"),
}

// hidden are the parts of a file in which nothing is changed.
var (
	hiddenText  = regexp.MustCompile(`--[^\n]*|ORDER BY [^()\n]*;|BETWEEN \S+ AND|ROWS [A-Z ]+`)
	hiddenCalls = regexp.MustCompile(`\b(?:printf|json_object|concat_ws|count_text|span_text)\(`)
	literals    = regexp.MustCompile(`'(?:[^']|'')*'`)
)

// masked is a text whose hidden parts are blanks.
func masked(text string) string {
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for _, at := range hiddenText.FindAllStringIndex(text, -1) {
		blank(at[0], at[1])
	}
	for _, at := range hiddenCalls.FindAllStringIndex(text, -1) {
		depth, end := 1, at[1]
		for ; depth > 0 && end < len(text); end++ {
			switch text[end] {
			case '(':
				depth++
			case ')':
				depth--
			case '\'': // a literal may hold brackets
				end += len(literals.FindString(text[end:])) - 1
			}
		}
		blank(at[0], end)
	}
	for _, at := range literals.FindAllStringIndex(string(out), -1) {
		if s := string(out[at[0]:at[1]]); s != "'violated'" && s != "'excused'" && s != "'suspect'" {
			blank(at[0], at[1])
		}
	}
	return string(out)
}

// mutantsOf are all mutants of a file.
func mutantsOf(t *testing.T, file string) (all []mutant) {
	t.Helper()
	text := string(readQuery(t, file).Data)
	visible := masked(text)
	for _, m := range mutations {
		for _, at := range m.at.FindAllStringIndex(visible, -1) {
			from := text[at[0]:at[1]]
			line := strings.Count(text[:at[0]], "\n")
			code := strings.Split(text, "\n")[line]
			if from == "WHEN " && regexp.MustCompile(`CASE [\w.]+ *WHEN|^ *WHEN '`).MatchString(code) {
				continue // compares a value: false is none
			}
			to := m.into(from)
			all = append(all, mutant{file, text[:at[0]] + to + text[at[1]:], line + 1, from, to, strings.TrimSpace(code)})
		}
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return a.line - b.line })
	return all
}

var (
	testBody   = regexp.MustCompile(`(?ms)^func (Test\w+)\(t \*testing\.T\) \{$(.*?)^\}$`)
	defineLine = regexp.MustCompile(`(?m)^CREATE OR REPLACE (?:MACRO|VIEW|TABLE) (?:internal\.)?(\w+)`)
)

// testsOf are the tests that name an audit of the file, or one that uses what the file
// defines.
func testsOf(t *testing.T, file string) string {
	t.Helper()
	words := []string{strings.TrimSuffix(path.Base(file), ".sql")}
	if strings.HasPrefix(file, "views/") {
		words = usersOf(t, file)
	}
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	tests := []string{"TestEveryAuditSaysWhyItSawNothing"}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testBody.FindAllStringSubmatch(string(text), -1) {
			if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(m[2], `"`+w+`"`) }) {
				tests = append(tests, m[1])
			}
		}
	}
	return strings.Join(tests, "|")
}

// usersOf are the audits that use what a file of views defines, by name.
func usersOf(t *testing.T, file string) (audits []string) {
	t.Helper()
	var names []string
	for _, m := range defineLine.FindAllStringSubmatch(string(readQuery(t, file).Data), -1) {
		names = append(names, m[1])
	}
	uses := regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
	all, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if uses.MatchString(a.Findings + a.Seen + a.Tested) {
			audits = append(audits, a.ID)
		}
	}
	return audits
}

// A fate is what became of a mutant.
type fate int

const (
	killed   fate = iota
	survived      // no test noticed it, or could
	invalid       // it is no SQL
)

// meet runs tests over a mutant.
func (m mutant) meet(t *testing.T, tests string) fate {
	t.Helper()
	disk := filepath.Join(t.TempDir(), "mutant.sql")
	if err := os.WriteFile(disk, []byte(m.text), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0], "-test.run", "^(?:"+tests+")$", "-test.failfast")
	command.Env = append(os.Environ(), mutantVariable+"="+m.file+"="+disk, mutantFiles+"=")
	out, err := command.CombinedOutput()
	switch {
	case err == nil:
		return survived
	case regexp.MustCompile(`(?:Parser|Binder|Catalog|Conversion) Error`).Match(out):
		return invalid
	}
	return killed
}

// TestMutants is what `make mutate` runs.
func TestMutants(t *testing.T) {
	t.Parallel()
	if os.Getenv(mutantFiles) == "" {
		t.Skip(mutantFiles + " names no files: make mutate")
	}
	which := regexp.MustCompile(os.Getenv(mutantFiles))
	for _, pattern := range []string{"views/*.sql", "audits/*/*.sql"} {
		files, err := fs.Glob(queries.Files, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if which.MatchString(file) {
				t.Run(file, func(t *testing.T) { mutate(t, file) })
			}
		}
	}
}

// mutate lets the tests of a file meet its mutants, two at a time.
func mutate(t *testing.T, file string) {
	tests, all := testsOf(t, file), mutantsOf(t, file)
	fates := make([]fate, len(all))
	var group sync.WaitGroup
	free := make(chan struct{}, 2)
	for i, m := range all {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			fates[i] = m.meet(t, tests)
		})
	}
	group.Wait()
	count := map[fate]int{}
	for i, m := range all {
		count[fates[i]]++
		if fates[i] == survived && equivalents[m.String()] == "" {
			t.Errorf("survives, line %d of %s", m.line, m)
		}
	}
	t.Logf("%d mutants of %s: %d killed, %d survive, %d are no SQL; by %s", len(all), file, count[killed], count[survived], count[invalid], tests)
}
