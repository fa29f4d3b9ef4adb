package queries

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

// questionsPage is the page of ten questions.
const questionsPage = "queries/QUESTIONS.md"

var (
	questionSQL     = regexp.MustCompile("(?s)```sql\n(.*?)\n```\n\n```text\n(.*?)```")
	questionConsole = regexp.MustCompile("(?s)```console\n(.*?)```")
	demoPlants      = regexp.MustCompile(`(?m)^DEMO_PLANTS := (\S+)$`)
)

// TestTheTenQuestionsAreAnswered puts every query and command of the page to the run of make
// demo, and holds the answers. What a question says in words has no number that its answers do
// not have.
func TestTheTenQuestionsAreAnswered(t *testing.T) {
	dir := demoRun(t)
	page, err := os.ReadFile(commandtest.InProject(questionsPage))
	if err != nil {
		t.Fatal(err)
	}
	answered, faults := answerPage(string(page), func(command string) string { return asked(t, dir, command) })
	if *commandtest.Update {
		if err := os.WriteFile(commandtest.InProject(questionsPage), []byte(answered), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if answered != string(page) {
		t.Errorf("%s has other answers than the demo's run: make golden. They are:\n%s", questionsPage, answered)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	planted := "Head.\n\n## 1. How much?\n\n**7 of 9.**\n\n```sql\nSELECT 7;\n```\n\n```text\n8\n```\n\n```console\n$ a \"\nb\"\nold\n$ c\nold\n```\n"
	got, wrong := answerPage(planted, func(command string) string { return "<" + command + ">\n" })
	want := "Head.\n\n## 1. How much?\n\n**7 of 9.**\n\n```sql\nSELECT 7;\n```\n\n```text\n<poolproof query out/demo-run 'SELECT 7;'>\n```\n\n```console\n$ a \"\nb\"\n<a \"\nb\">\n$ c\n<c>\n```\n"
	if got != want {
		t.Errorf("a page becomes\n%s", got)
	}
	if s := fmt.Sprint(wrong); !strings.Contains(s, "says 9") || strings.Contains(s, "says 7") || !strings.Contains(s, "1 questions") || !strings.Contains(s, "no notebook") {
		t.Errorf("of a page with faults is said: %s", s)
	}
}

// demoRun makes the trace and the run of make demo in a folder, as out/demo-trace and
// out/demo-run.
func demoRun(t *testing.T) (dir string) {
	t.Helper()
	makefile, err := os.ReadFile(commandtest.InProject("Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	plants := demoPlants.FindSubmatch(makefile)
	if plants == nil {
		t.Fatal("the Makefile does not say what make demo plants")
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := commandtest.RunLines(dir, []string{"generate --preset small --plant " + string(plants[1]) + " --out out/demo-trace --quiet", "run out/demo-trace --out out/demo-run --quiet"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asked is what a command prints, of which the shell makes pipes.
func asked(t *testing.T, dir, command string) string {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir = dir
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil || stderr.Len() > 0 {
		t.Errorf("%s: %v: %s", command, err, stderr.String())
	}
	if len(out) == 0 && !strings.HasPrefix(command, "poolproof generate") {
		t.Errorf("%s: there is no answer", command)
	}
	return string(out)
}

// answerPage puts the answers into a page, and says what is wrong with it.
func answerPage(page string, ask func(command string) string) (answered string, faults []string) {
	head, questions, _ := strings.Cut(page, "\n## ")
	answered = head
	n := 0
	for _, question := range strings.Split(questions, "\n## ") {
		n++
		title, _, _ := strings.Cut(question, "\n")
		var answers []string
		answer := func(command string) string {
			text := trimmedLines(ask(command))
			answers = append(answers, text)
			return text
		}
		queries := 0
		question = questionSQL.ReplaceAllStringFunc(question, func(block string) string {
			queries++
			query := questionSQL.FindStringSubmatch(block)[1]
			if strings.Count(query, "\n") >= 10 {
				faults = append(faults, title+": a query of more than ten lines: a macro is missing")
			}
			return "```sql\n" + query + "\n```\n\n```text\n" + answer("poolproof query out/demo-run '"+strings.ReplaceAll(query, "'", `'\''`)+"'") + "```"
		})
		question = questionConsole.ReplaceAllStringFunc(question, func(block string) string {
			queries++
			text := "```console\n"
			for _, command := range commandsOf(questionConsole.FindStringSubmatch(block)[1]) {
				text += "$ " + command + "\n" + answer(command)
			}
			return text + "```"
		})
		if queries < 2 || !strings.Contains(question, "notebooks/") {
			faults = append(faults, fmt.Sprintf("%s: %d queries and commands, or no notebook", title, queries))
		}
		for _, number := range numbersOf(question) {
			if !slices.ContainsFunc(answers, func(a string) bool { return slices.Contains(numbersIn(a), number) }) {
				faults = append(faults, fmt.Sprintf("%s: the answer says %s, which the run does not", title, number))
			}
		}
		answered += "\n## " + question
	}
	if n != 10 {
		faults = append(faults, fmt.Sprintf("%d questions", n))
	}
	return answered, faults
}

// commandsOf are the commands of a block, each after $ and with the lines to the quotation mark
// that ends it.
func commandsOf(block string) (all []string) {
	open := false
	for _, line := range strings.Split(block, "\n") {
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case open:
			all[len(all)-1] += "\n" + line
		case begins:
			all, line = append(all, command), command
		default:
			continue
		}
		if strings.Count(line, `"`)%2 == 1 {
			open = !open
		}
	}
	return all
}

// trimmedLines are the lines of a text without spaces at their ends.
func trimmedLines(text string) (trimmed string) {
	for line := range strings.Lines(text) {
		trimmed += strings.TrimRight(line, " \n") + "\n"
	}
	return trimmed
}

var aNumber = regexp.MustCompile(`\b[0-9][0-9,]*(\.[0-9]+)?\b`)

// numbersIn are the numbers of a text, without commas; of a time its parts.
func numbersIn(text string) (all []string) {
	for _, n := range aNumber.FindAllString(strings.NewReplacer("T", " ", "Z", " ").Replace(text), -1) {
		all = append(all, strings.ReplaceAll(n, ",", ""))
	}
	return all
}

// numbersOf are the numbers of the paragraph that answers a question in words.
func numbersOf(question string) []string {
	_, text, _ := strings.Cut(question, "\n\n**")
	text, _, _ = strings.Cut(text, "\n\n")
	return numbersIn(text)
}
