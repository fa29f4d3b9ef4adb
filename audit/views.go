package audit

import (
	"io/fs"
	"regexp"
)

// A viewFile is one of views/*.sql.
type viewFile struct {
	name, text string
}

// readViews reads the files of views in the order in which they run: each may ask for what
// those before it make.
func readViews(queries fs.FS) ([]viewFile, error) {
	names, err := fs.Glob(queries, "views/*.sql")
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

var (
	madeName = regexp.MustCompile(`(?m)^CREATE OR REPLACE (?:VIEW|MACRO|TABLE) (\w+)`)
	anyWord  = regexp.MustCompile(`\w+`)
)

// neededViews are the files that make what is named in the texts that are asked, and what
// those files need. A name counts wherever it stands, in a comment, too: a file more than is
// needed costs its time alone.
func neededViews(files []viewFile, asked []string) []viewFile {
	maker := map[string]int{}
	for i, file := range files {
		for _, m := range madeName.FindAllStringSubmatch(file.text, -1) {
			maker[m[1]] = i
		}
	}
	needed := map[int]bool{}
	for queue := asked; len(queue) > 0; queue = queue[1:] {
		for _, word := range anyWord.FindAllString(queue[0], -1) {
			if i, ok := maker[word]; ok && !needed[i] {
				needed[i] = true
				queue = append(queue, files[i].text)
			}
		}
	}
	var chosen []viewFile
	for i, file := range files {
		if needed[i] {
			chosen = append(chosen, file)
		}
	}
	return chosen
}
