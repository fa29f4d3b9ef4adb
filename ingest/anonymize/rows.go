package anonymize

import (
	"fmt"
	"reflect"
	"strings"

	"poolproof/core"
	"poolproof/core/rows"
	"poolproof/ingest/trace"
)

// An editor replaces the names in the rows of a trace, or collects them.
type editor struct {
	names      names
	operations int                   // how many there are
	jobs       int64                 // one more than the greatest number of one
	ids        hashes                // of the jobs' rows
	referred   map[string]core.JobID // ids that stand elsewhere than in the one row of their job, and the first job that has each
	listed     map[string]int64      // rows of problems, by code
	collecting bool
}

// What is numbered, and has its number for a name.
const (
	operationWord  = "operation"
	jobWord        = "job"
	allocationWord = "allocation"
)

// word keeps a word of the format, or several after commas; others are names: sources may have
// words of their own.
func (e *editor) word(text string) string {
	list := strings.Split(text, ",")
	for i, word := range list {
		if !words[word] {
			list[i] = e.names.replace(wordName, word)
		}
	}
	return strings.Join(list, ",")
}

// replacements replace the texts of a column, by the tag private of the column. A text
// without the tag is a word.
var replacements = map[string]func(e *editor, text string) string{
	"":        (*editor).word,
	"options": func(e *editor, text string) string { return e.names.json(text, options) },
	"formula": func(e *editor, text string) string { return e.names.formula(tagName, text) },
	"tags":    func(e *editor, text string) string { return e.names.list(tagName, text) },
	"trees":   func(e *editor, text string) string { return e.names.list(treeName, text) },
	"pool":    func(e *editor, text string) string { return e.names.pool(text) },
	"job":     (*editor).job,
	"text":    nil, // is left out
}

// A private column is a text and what replaces it; nil if it is left out.
type private struct {
	*rows.Column
	replace func(e *editor, text string) string
}

// privates are the columns of text of each table, without ids.
var privates = map[*trace.Table][]private{}

func init() {
	for k := range kinds {
		if _, special := replacements[kindNames[k]]; !special {
			replacements[kindNames[k]] = func(e *editor, text string) string { return e.names.replace(k, text) }
		}
	}
	for _, table := range trace.Tables {
		for i := range table.Fields {
			c := &table.Fields[i]
			how := c.Tag("private")
			if c.Type.Kind() != reflect.String || how == "id" { // which are numbered
				continue
			}
			replace, known := replacements[how]
			if !known {
				panic(fmt.Sprintf("column %s.%s is private as %q", table.Name, c.Name, how))
			}
			privates[table] = append(privates[table], private{c, replace})
		}
	}
}

// edit replaces the texts of a row.
func (e *editor) edit(table *trace.Table, _ string, row any) bool {
	switch r := row.(type) {
	case *trace.Operation:
		r.ID = numbered(operationWord, int(r.Op), e.operations)
		if e.collecting {
			e.operations++
		}
	case *trace.Job:
		e.number(r)
	case *trace.Problem:
		if e.collecting {
			e.listed[r.Code]++
		}
	}
	for _, c := range privates[table] {
		present, text := c.Present(row), rows.At[string](c.Column, row)
		switch {
		case present != nil && !*present:
		case c.replace != nil:
			*text = c.replace(e, *text)
		default:
			*text, *present = "", false
		}
	}
	return true
}

// number replaces the ids of a job and its allocation.
func (e *editor) number(r *trace.Job) {
	if e.collecting {
		e.jobs = max(e.jobs, int64(r.Job)+1)
		e.ids.add(r.ID)
	}
	r.ID = numbered(jobWord, int(e.numberOf(r)), int(e.jobs))
	if r.AllocationID.Set {
		r.AllocationID.Value = numbered(allocationWord, int(r.Job), int(e.jobs))
	}
}

// numberOf is the number of a job: that of the first with its id, should a log tell of several.
func (e *editor) numberOf(r *trace.Job) core.JobID {
	if first, named := e.referred[r.ID]; named && first >= 0 {
		return first
	}
	return r.Job
}

// job replaces the id of a job in a row of another.
func (e *editor) job(id string) string {
	if id == "" {
		return id
	}
	switch at, known := e.referred[id]; {
	case !known:
		e.referred[id] = core.Unknown
	case at >= 0:
		return numbered(jobWord, int(at), int(e.jobs))
	}
	if e.collecting {
		return id
	}
	return e.names.replace(jobName, id)
}
