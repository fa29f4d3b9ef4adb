package audit

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"poolproof/replay/tables"
)

// createViews runs the files views/*.sql that are needed.
func (r *runner) createViews(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Trends ask them. A verdict that is there stays until the new one replaces it.
	if err := atOnce(ctx, conn, verdictTables(ifAbsent)); err != nil {
		return fmt.Errorf("begin the verdict: %w", err)
	}
	for _, file := range r.views {
		description := ""
		if r.lasts() && !r.opts.undescribed {
			objects, err := parseObjects(file.text)
			if err != nil {
				return fmt.Errorf("%s: %w", file.name, err)
			}
			description = describeObjects(objects)
		}
		if err := atOnce(ctx, conn, file.text, description); err != nil {
			return fmt.Errorf("run %s: %w", file.name, err)
		}
	}
	return nil
}

// A viewFile is one of views/*.sql.
type viewFile struct {
	name, text string
}

// readViews reads the files of views in the order in which they run: each may ask for what
// those before it make.
func readViews(queries fs.FS) ([]viewFile, error) {
	names, err := viewsInOrder(queries)
	if err != nil {
		return nil, err
	}
	files := make([]viewFile, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(queries, name)
		if err != nil {
			return nil, err
		}
		files[i] = viewFile{name, string(text)}
	}
	return files, nil
}

// orderFile lists the files of views/ in the order in which they run: a line each, without
// .sql; a line that begins with # is a comment.
const orderFile = "views/order.txt"

// viewsInOrder are the files of views/. The order names each once.
func viewsInOrder(queries fs.FS) (names []string, err error) {
	text, err := fs.ReadFile(queries, orderFile)
	if err != nil {
		return nil, err
	}
	times := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			names = append(names, "views/"+name+".sql")
			times["views/"+name+".sql"]++
		}
	}
	there, err := fs.Glob(queries, "views/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range there {
		if n := times[name]; n != 1 {
			return nil, fmt.Errorf("%s names %s %d times, and not once", orderFile, name, n)
		}
	}
	if len(times) != len(there) {
		return nil, fmt.Errorf("%s names %d files, and there are %d", orderFile, len(times), len(there))
	}
	return names, nil
}

var (
	madeName = regexp.MustCompile(`(?m)^CREATE OR REPLACE (VIEW|MACRO|TABLE) (?:internal\.)?(\w+)`)
	anyWord  = regexp.MustCompile(`(\w+)("?\s*\()?`)
)

// A wordSet has the words of some texts, each once more with a parenthesis if it is called
// somewhere, and everyColumn if a text takes columns without naming them.
type wordSet map[string]bool

// called returns the entry of a wordSet for a called name.
func called(name string) string { return name + "(" }

const everyColumn = "*"

// wholeRows matches expressions that use all columns of a row. SELECT * does not count: its columns
// are referred to by name.
var wholeRows = regexp.MustCompile(`\bto_json\(\w+\)|\bCOLUMNS\(|\bUNPIVOT\b`)

func wordsIn(text string) wordSet {
	words := wordSet{}
	for _, m := range anyWord.FindAllStringSubmatch(text, -1) {
		words[m[1]] = true
		if m[2] != "" {
			words[called(m[1])] = true
		}
	}
	if wholeRows.MatchString(text) {
		words[everyColumn] = true
	}
	return words
}

// readColumns are, by table, the words of the texts that read it, themselves or through views. Among
// them are the columns that they name; nil stands for all columns of all tables.
type readColumns map[string]wordSet

// wants reports whether a column is read; of a table that is, the first is in any case.
func (r readColumns) wants(t *tables.Table, column int) bool {
	words, read := r[t.Name]
	return r == nil || read && (column == 0 || words[everyColumn] || words[t.Columns[column].Name])
}

// neededViews are the files that make what is named in the texts that are asked, and what
// those files need, and what all of them read. A macro must be called; other names count wherever
// they stand, in a comment, too: a file or a column more than is needed costs its time alone.
func neededViews(files []viewFile, asked []string) (chosen []viewFile, read readColumns) {
	maker := map[string]int{}
	for i, file := range files {
		for _, m := range madeName.FindAllStringSubmatch(file.text, -1) {
			name := m[2]
			if m[1] == "MACRO" {
				name = called(name)
			}
			maker[name] = i
		}
	}
	words := make([]wordSet, len(files)) // of the files that are needed
	var texts []wordSet
	for _, text := range asked {
		texts = append(texts, wordsIn(text))
	}
	for queue := slices.Clone(texts); len(queue) > 0; queue = queue[1:] {
		for word := range queue[0] {
			if i, ok := maker[word]; ok && words[i] == nil {
				words[i] = wordsIn(files[i].text)
				queue = append(queue, words[i])
			}
		}
	}
	isTable := map[string]bool{}
	for _, t := range tables.All() {
		isTable[t.Name] = true
	}
	read = readColumns{}
	through := make([]wordSet, len(files)) // the tables that what a file makes reads
	// note notes what a text reads, and returns the tables.
	note := func(text wordSet) wordSet {
		own := wordSet{}
		for word := range text {
			if isTable[word] {
				own[word] = true
			} else if i, ok := maker[word]; ok {
				maps.Copy(own, through[i])
			}
		}
		for table := range own {
			if read[table] == nil {
				read[table] = wordSet{}
			}
			maps.Copy(read[table], text)
		}
		return own
	}
	for i, file := range files { // each asks for what those before it make
		if words[i] != nil {
			chosen = append(chosen, file)
			through[i] = note(words[i])
		}
	}
	for _, text := range texts {
		note(text)
	}
	return chosen, read
}
