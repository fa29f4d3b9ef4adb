package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unrevised lists the packages whose prose has not been rewritten yet. The list may only shrink: a package
// leaves it when its last breach does, and a new package never enters it.
var unrevised = []string{
	"core/pooltree",
	"ingest/joblog",
	"ingest/ytsaurus",
	"ingest/ytsaurus/eventlogtest",
}

// proseExceptions lists the sentences and methods that may stay, with the reason.
var proseExceptions = map[string]string{
	"audit/report: method Of has no object (say what it acts on)": "the page's template calls it: {{.Of}}",
}

// A habit matches prose to rewrite. The words in unless may follow a match.
type habit struct {
	name    string
	pattern *regexp.Regexp
	unless  []string
}

var habits = []habit{
	{"begins with a definition (say what the thing does or holds)",
		regexp.MustCompile(`^(?:(?:An?|The) [\w']+(?: [\w'-]+){0,5}|\w+) (?:is|are) (?:what|how|when|where|why|who|that which|by how much|since when|all that)\b`), nil},
	{`says "is no" or "is none" (say "is not", "has no", "there is no" or name what is missing)`,
		regexp.MustCompile(`\b(?:is|are|was|were) (?:no|none)\b`),
		[]string{"more", "less", "longer", "later", "earlier", "greater", "smaller", "larger", "higher", "lower", "fewer", "better", "worse", "shorter", "older", "newer"}},
	{`says "is told" (say who records or reports it)`, regexp.MustCompile(`\b(?:is|are|was|were) told\b`), nil},
	{`says "nobody" (name the actor)`, regexp.MustCompile(`\b[Nn]obody\b`), nil},
	{"has an idiom (say it plainly)", regexp.MustCompile(`\bbut for\b|\bof late(?:[,.;:)]| [a-z])|\ball the same\b|\bmend(?:s|ed)?\b|\bthose of it\b|\bas those see\b`), nil},
}

// bareVerbs lists method names that do not say what they act on.
var bareVerbs = []string{
	"at", "beat", "begin", "follow", "hear", "keep", "look", "note", "of", "say", "settle", "take", "tell",
	"At", "Beat", "Begin", "Follow", "Hear", "Keep", "Look", "Note", "Of", "Say", "Settle", "Take", "Tell",
}

// proseBreaches returns what to rewrite in a file, each with the line where it is.
func proseBreaches(fset *token.FileSet, file *ast.File) (breaches map[string]token.Position) {
	breaches = map[string]token.Position{}
	for _, group := range file.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		for _, h := range habits {
			for _, m := range h.pattern.FindAllStringIndex(text, -1) {
				rest := strings.Fields(strings.TrimLeft(text[m[1]:], " "))
				if len(rest) > 0 && slices.Contains(h.unless, strings.Trim(rest[0], ".,:;")) || h.unless != nil && strings.HasSuffix(strings.ToLower(text[:m[0]]), "there ") {
					continue
				}
				breaches["“"+excerpt(text, m[0], m[1])+"” "+h.name] = fset.Position(group.Pos())
			}
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && slices.Contains(bareVerbs, f.Name.Name) {
			breaches["method "+f.Name.Name+" has no object (say what it acts on)"] = fset.Position(f.Pos())
		}
	}
	return breaches
}

// excerpt returns what stands around a match, from word to word.
func excerpt(text string, from, to int) string {
	if i := strings.LastIndex(text[:max(0, from-20)], " "); from > 20 && i >= 0 {
		from = i + 1
	} else {
		from = 0
	}
	if i := strings.Index(text[min(len(text), to+20):], " "); i >= 0 {
		to = min(len(text), to+20) + i
	} else {
		to = len(text)
	}
	return text[from:to]
}

// TestProse checks comments and method names for habits of translated prose, which a reader has to decode.
func TestProse(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}", "poolproof/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	open, used, seen := map[string]bool{}, map[string]bool{}, 0
	for name := range strings.FieldsSeq(string(out)) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		name, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		pkg := path.Dir(filepath.ToSlash(name))
		for breach, at := range proseBreaches(fset, file) {
			key := pkg + ": " + breach
			if proseExceptions[key] != "" {
				used[key] = true
				continue
			}
			open[pkg] = true
			if !slices.Contains(unrevised, pkg) {
				t.Errorf("%s:%d: %s", name, at.Line, breach)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no files seen")
	}
	for _, pkg := range unrevised {
		if !open[pkg] {
			t.Errorf("%s has nothing left to rewrite: take it off the list of unrevised packages", pkg)
		}
	}
	for key := range proseExceptions {
		if !used[key] {
			t.Errorf("the exception %q excuses nothing: remove it", key)
		}
	}
}

// TestProseFindsHabits plants one breach of each habit.
func TestProseFindsHabits(t *testing.T) {
	const planted = `package planted

// A sight is what the last look saw of the whole tree.
type sight struct{}

// lack is when an input lacks.
type lack struct{}

// text returns a name. It fails where that is no name.
func text() {}

// label is no longer used, and was no more than a name. There is no other.
func label() {}

// size returns what the log says, 0 where it is told by nobody.
func size() {}

// all lists the pools but for the root.
func all() {}

func (s sight) beat() {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "planted.go", planted, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, at := range proseBreaches(fset, file) {
		lines = append(lines, at.Line)
	}
	slices.Sort(lines)
	if want := []int{3, 6, 9, 15, 15, 18, 21}; !slices.Equal(lines, want) {
		t.Errorf("breaches found at lines %v, want %v", lines, want)
	}
}
