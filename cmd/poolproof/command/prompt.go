package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peterh/liner"

	"poolproof/audit"
	"poolproof/core/spelling"
	"poolproof/queries"
)

const promptHelp = `A statement of SQL ends with a semicolon. Commands stand in one line:
  .tables            tables, views and macros, each with a sentence
  .schema NAME       columns of a table or view, or parameters and columns of a macro
  .examples [WORD]   examples, those that hold a word
  .explain AUDIT     what an audit promises, how it judges, and its SQL; a rule, as GUA-03, or a code
  .output FORMAT     print answers as ` + "%s" + `
  .help              this
  .quit              leave; so does Ctrl-D
The tabulator completes names of tables, columns and macros.
`

const (
	promptText   = "poolproof> "
	continueText = "       ..> "
)

// errQuit ends a conversation.
var errQuit = errors.New("quit")

// A lineReader gives the lines of a conversation; io.EOF ends it.
type lineReader interface {
	line(prompt string) (string, error)
	close()
}

// converse answers what is asked line by line: at a terminal with a prompt, until the user
// leaves, and otherwise up to the first error.
func (q *asker) converse(ctx context.Context) error {
	things, err := q.session.Things(ctx)
	if err != nil {
		return err
	}
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		return err
	}
	c := &conversation{asker: q, things: things, audits: audits}
	var lines lineReader = &pipedLines{bufio.NewReader(q.env.stdin)}
	_, err = liner.TerminalMode()
	terminal := err == nil && q.env.stdin == io.Reader(os.Stdin)
	if terminal {
		lines = newTerminalLines(c)
		fmt.Fprintf(q.env.stdout, "%d tables, views and macros. .help shows the commands.\n", len(things))
	}
	defer lines.close()
	asked := false
	statement := ""
	for ctx.Err() == nil {
		prompt := promptText
		if statement != "" {
			prompt = continueText
		}
		line, err := lines.line(prompt)
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			statement = ""
			continue
		case err == io.EOF && strings.TrimSpace(statement) != "" && !terminal:
			return c.ask(ctx, statement) // the last one needs no semicolon
		case err == io.EOF && !asked && !terminal:
			return usagef("SQL is missing: give it behind RUN, by --file or in standard input")
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read the question: %w", err)
		case strings.TrimSpace(line) == "" && statement == "":
			continue
		}
		asked = true
		err = nil
		if statement == "" && strings.HasPrefix(strings.TrimSpace(line), ".") {
			err = c.command(strings.Fields(line))
		} else if statement += line + "\n"; audit.EndsStatement(statement) {
			question := statement
			statement = ""
			err = c.ask(ctx, question)
		}
		switch {
		case errors.Is(err, errQuit):
			return nil
		case err != nil && !terminal:
			return err
		case err != nil:
			fmt.Fprintf(q.env.stdout, "%v\n", err)
		}
	}
	return ctx.Err()
}

// A conversation knows what there is to ask.
type conversation struct {
	*asker
	things []audit.Thing
	audits []*audit.Audit
}

// command runs a line that begins with a dot.
func (c *conversation) command(words []string) error {
	w := c.env.stdout
	argument := ""
	if len(words) > 1 {
		argument = words[1]
	}
	switch words[0] {
	case ".tables":
		for _, t := range c.things {
			first, _, _ := strings.Cut(t.Comment, "\n")
			first, _, _ = strings.Cut(first, ". ")
			fmt.Fprintf(w, "%-5s  %-23s  %s\n", t.Kind, t.Name, first)
		}
	case ".schema":
		return c.schema(argument)
	case ".examples":
		return c.examples(argument)
	case ".explain":
		return explainCode(c.env.stdout, argument)
	case ".output":
		if err := oneOf(".output", argument, audit.Formats); err != nil {
			return err
		}
		c.format = argument
	case ".help":
		fmt.Fprintf(w, promptHelp, strings.Join(audit.Formats, ", "))
	case ".quit", ".exit":
		return errQuit
	default:
		return usagef("unknown command %s; %s", words[0], spelling.MeantOr(words[0], dotCommands, ".help shows them"))
	}
	return nil
}

var dotCommands = []string{".tables", ".schema", ".examples", ".explain", ".output", ".help", ".quit"}

func (c *conversation) schema(name string) error {
	i := slices.IndexFunc(c.things, func(t audit.Thing) bool { return t.Name == name })
	if i < 0 {
		return usagef("unknown table, view or macro %q; %s", name, spelling.MeantOr(name, c.names(), ".tables shows them"))
	}
	t := c.things[i]
	fmt.Fprintf(c.env.stdout, "%s %s: %s\n", t.Kind, t.Name, t.Comment)
	for _, column := range t.Columns {
		fmt.Fprintf(c.env.stdout, "  %-28s  %-9s  %s\n", column.Name, column.Type, column.Comment)
	}
	return nil
}

func (c *conversation) names() (names []string) {
	for _, t := range c.things {
		names = append(names, t.Name)
	}
	return names
}

func (c *conversation) examples(word string) error {
	objects, err := audit.ReadObjects(queries.Files)
	if err != nil {
		return err
	}
	found := false
	for _, o := range append(audit.VerdictTables(), objects...) {
		for _, example := range o.Examples {
			if strings.Contains(strings.ToLower(o.Name+" "+o.Sentence+" "+example), strings.ToLower(word)) {
				fmt.Fprintf(c.env.stdout, "-- %s\n%s;\n", o.Sentence, example)
				found = true
			}
		}
	}
	if !found {
		return usagef("no example holds %q", word)
	}
	return nil
}

// complete completes the word before a place in a line: its beginning, what the word may be,
// and what stays behind it. The place counts characters.
func (c *conversation) complete(line string, pos int) (head string, completions []string, tail string) {
	before, after := string([]rune(line)[:pos]), string([]rune(line)[pos:])
	begin := strings.LastIndexFunc(before, func(r rune) bool { return strings.ContainsRune(" \t(),;=<>+-*/", r) }) + 1
	word := before[begin:]
	var words []string
	switch command, _, _ := strings.Cut(strings.TrimSpace(line), " "); {
	case begin == 0 && strings.HasPrefix(word, "."):
		words = dotCommands
	case command == ".schema":
		words = c.names()
	case command == ".output":
		words = audit.Formats
	case command == ".explain":
		for _, a := range c.audits {
			words = append(append(words, a.ID), a.Invariants...)
		}
	case word == "":
		return before, nil, after
	default:
		words = c.words()
	}
	for _, w := range words {
		if strings.HasPrefix(strings.ToLower(w), strings.ToLower(word)) {
			completions = append(completions, w)
		}
	}
	return before[:begin], completions, after
}

// keywords are those of SQL that a question is most often made of.
var keywords = strings.Fields("SELECT FROM WHERE GROUP ORDER BY HAVING LIMIT JOIN LEFT USING WITH DISTINCT DESCRIBE PIVOT UNION INTERVAL TIMESTAMP BETWEEN FILTER")

// words returns the completions of a word of a question: existing names, then keywords.
func (c *conversation) words() []string {
	seen := map[string]bool{}
	for _, t := range c.things {
		seen[t.Name] = true
		for _, column := range t.Columns {
			seen[column.Name] = true
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return append(names, keywords...)
}

// pipedLines are the lines of a file or a pipe.
type pipedLines struct{ *bufio.Reader }

func (p *pipedLines) line(string) (string, error) {
	line, err := p.ReadString('\n')
	if err == io.EOF && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

func (p *pipedLines) close() {}

// terminalLines edit a line at a terminal and keep what was asked before.
type terminalLines struct {
	*liner.State
	history string // file; empty without a home
}

func newTerminalLines(c *conversation) *terminalLines {
	t := &terminalLines{State: liner.NewLiner()}
	t.SetCtrlCAborts(true)
	t.SetTabCompletionStyle(liner.TabPrints)
	t.SetWordCompleter(c.complete)
	if home, err := os.UserHomeDir(); err == nil {
		state := os.Getenv("XDG_STATE_HOME")
		if state == "" {
			state = filepath.Join(home, ".local", "state")
		}
		t.history = filepath.Join(state, "poolproof", "query_history")
		if f, err := os.Open(t.history); err == nil {
			_, _ = t.ReadHistory(f) // without it there is none
			f.Close()
		}
	}
	return t
}

func (t *terminalLines) line(prompt string) (string, error) {
	line, err := t.Prompt(prompt)
	if err == nil && strings.TrimSpace(line) != "" {
		t.AppendHistory(line)
	}
	return line, err
}

// close gives the terminal back and writes the history; a home that cannot be written has
// none.
func (t *terminalLines) close() {
	t.State.Close()
	if t.history == "" || os.MkdirAll(filepath.Dir(t.history), 0o700) != nil {
		return
	}
	if f, err := os.OpenFile(t.history, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err == nil {
		_, _ = t.WriteHistory(f)
		f.Close()
	}
}
