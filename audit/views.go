package audit

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
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
	madeName = regexp.MustCompile(`(?m)^CREATE OR REPLACE (?:VIEW|MACRO|TABLE) (?:internal\.)?(\w+)`)
	anyWord  = regexp.MustCompile(`\w+`)
)

// A wordSet has the words of some texts, and everyColumn if one of them takes columns without
// naming them.
type wordSet map[string]bool

const everyColumn = "*"

// wholeRows are what takes all columns of a row. SELECT * does not count: what comes of it goes
// on by names.
var wholeRows = regexp.MustCompile(`\bto_json\(\w+\)|\bCOLUMNS\(|\bUNPIVOT\b`)

// neededViews are the files that make what is named in the texts that are asked, and what
// those files need, and the words of all of them. A name counts wherever it stands, in a comment,
// too: a file more than is needed costs its time alone.
func neededViews(files []viewFile, asked []string) (chosen []viewFile, named wordSet) {
	named = wordSet{}
	maker := map[string]int{}
	for i, file := range files {
		for _, m := range madeName.FindAllStringSubmatch(file.text, -1) {
			maker[m[1]] = i
		}
	}
	needed := map[int]bool{}
	for queue := asked; len(queue) > 0; queue = queue[1:] {
		if wholeRows.MatchString(queue[0]) {
			named[everyColumn] = true
		}
		for _, word := range anyWord.FindAllString(queue[0], -1) {
			named[word] = true
			if i, ok := maker[word]; ok && !needed[i] {
				needed[i] = true
				queue = append(queue, files[i].text)
			}
		}
	}
	for i, file := range files {
		if needed[i] {
			chosen = append(chosen, file)
		}
	}
	return chosen, named
}
