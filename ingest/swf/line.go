package swf

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/ingest/joblog"
)

// missing is the standard's value for what is not known.
const missing = -1

// The values of a job's status.
const (
	failed        = 0
	completed     = 1
	toBeContinued = 2 // an execution that another one follows
	lastCompleted = 3 // the last execution of a job that completed
	lastFailed    = 4 // the last execution of a job that failed
	cancelled     = 5
)

const (
	standardFields = 18
	extendedFields = standardFields + 3

	processorsColumn = "allocated_processors"
	placementColumn  = "placement"
	queueColumn      = "queue_name"
	requestColumn    = "resource_request"

	maxSeconds   = 253_402_300_799 // the end of the year 9999
	maxNumber    = 1 << 50
	maxNode      = 1<<31 - 1
	microseconds = int64(core.Second)
)

// A record is one line of a log. What is not known is missing.
type record struct {
	row int64 // zero-based line of the file

	number                      int64
	submit, wait, run           core.Time
	allocated, requested        int64 // processors
	cpuTime, requestedTime      core.Time
	usedMemory, requestedMemory int64 // in the dialect's unit
	status                      int64
	user, group, executable     int64
	queue, partition, preceding int64
	thinkTime                   core.Time
	placement                   []placed // by ascending node; nil if the log does not say
	queueName, request          string
}

// A placed says how many processors of a node a job got.
type placed struct{ node, processors int32 }

// A fault says why a line cannot be used, or which of its values cannot.
type fault struct{ column, code, value string }

// A field is one of the standard's 18.
type field struct {
	name     string
	seconds  bool // a time, which may have a fraction
	fraction bool // an amount whose fraction is dropped
	needed   bool // a negative value other than missing makes the line useless
	at       func(*record) *int64
}

var fields = [standardFields]field{
	{name: "job_number", needed: true, at: func(r *record) *int64 { return &r.number }},
	{name: "submit_time", seconds: true, needed: true, at: func(r *record) *int64 { return (*int64)(&r.submit) }},
	{name: "wait_time", seconds: true, needed: true, at: func(r *record) *int64 { return (*int64)(&r.wait) }},
	{name: "run_time", seconds: true, needed: true, at: func(r *record) *int64 { return (*int64)(&r.run) }},
	{name: processorsColumn, at: func(r *record) *int64 { return &r.allocated }},
	{name: "average_cpu_time", seconds: true, at: func(r *record) *int64 { return (*int64)(&r.cpuTime) }},
	{name: "used_memory", fraction: true, at: func(r *record) *int64 { return &r.usedMemory }},
	{name: "requested_processors", at: func(r *record) *int64 { return &r.requested }},
	{name: "requested_time", seconds: true, at: func(r *record) *int64 { return (*int64)(&r.requestedTime) }},
	{name: "requested_memory", fraction: true, at: func(r *record) *int64 { return &r.requestedMemory }},
	{name: "status", at: func(r *record) *int64 { return &r.status }},
	{name: "user_id", at: func(r *record) *int64 { return &r.user }},
	{name: "group_id", at: func(r *record) *int64 { return &r.group }},
	{name: "executable", at: func(r *record) *int64 { return &r.executable }},
	{name: "queue", at: func(r *record) *int64 { return &r.queue }},
	{name: "partition", at: func(r *record) *int64 { return &r.partition }},
	{name: "preceding_job", at: func(r *record) *int64 { return &r.preceding }},
	{name: "think_time", seconds: true, at: func(r *record) *int64 { return (*int64)(&r.thinkTime) }},
}

// A parser reads lines into records. Texts that repeat are held once.
type parser struct {
	words [][]byte
	texts map[string]string
	nodes []int32
	notes []fault // values of the last line that could not be used, though the line can
	// width is the number of usable fields of the last line, extra the number of those
	// after the last field of the format.
	width, extra int
}

// parse reads a line that is neither empty nor a comment. It returns the fault
// that makes the line useless, nil if there is none.
func (p *parser) parse(line []byte, r *record) *fault {
	p.notes = p.notes[:0]
	p.words = words(p.words[:0], line)
	n := len(p.words)
	if n < standardFields {
		return &fault{code: codeFieldCount, value: fmt.Sprintf("%s: %s", fieldCount(n), line)}
	}
	known := standardFields
	if n > standardFields && p.words[standardFields][0] == '{' {
		known = min(n, extendedFields)
	}
	p.width, p.extra = n, n-known
	*r = record{row: r.row}
	for i := range fields {
		if f := p.field(&fields[i], p.words[i], r); f != nil {
			return f
		}
	}
	if r.status < missing || r.status > cancelled {
		p.addNote("status", codeUnknownStatus, p.words[10])
		r.status = missing
	}
	if r.number == missing {
		return &fault{fields[0].name, codeMissingNumber, string(p.words[0])}
	}
	if known == standardFields {
		return nil
	}
	if !p.placement(p.words[standardFields], r) {
		return &fault{placementColumn, codeBadPlacement, string(p.words[standardFields])}
	}
	if known > standardFields+1 {
		r.queueName = p.text(queueColumn, p.words[standardFields+1])
	}
	if known > standardFields+2 {
		r.request = p.text(requestColumn, p.words[standardFields+2])
	}
	return nil
}

// fieldCount says how many fields a line has.
func fieldCount(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

func (p *parser) addNote(column, code string, value []byte) {
	p.notes = append(p.notes, fault{column, code, string(value)})
}

func (p *parser) field(f *field, word []byte, r *record) *fault {
	value, fraction, ok := joblog.Decimal(word)
	if !ok || fraction != 0 && !f.seconds && !f.fraction {
		return &fault{f.name, codeBadNumber, string(word)}
	}
	to := f.at(r)
	switch {
	case value == missing && fraction == 0:
		*to = missing
		return nil
	case word[0] == '-' && (value != 0 || fraction != 0):
		if f.needed {
			code := codeNegativeValue
			if f.seconds {
				code = codeNegativeTime
			}
			return &fault{f.name, code, string(word)}
		}
		p.addNote(f.name, codeNegativeValue, word)
		*to = missing
		return nil
	case f.seconds && value > maxSeconds || value > maxNumber:
		return &fault{f.name, codeOutOfRange, string(word)}
	}
	*to = value
	if f.seconds {
		*to = value*microseconds + fraction
	}
	return nil
}

// placement reads {n,n,...}: the number of a node for every processor.
func (p *parser) placement(word []byte, r *record) bool {
	inner, ok := bytes.CutSuffix(word[1:], []byte("}"))
	if !ok {
		return false
	}
	p.nodes = p.nodes[:0]
	for len(bytes.TrimSpace(inner)) > 0 {
		entry, rest, _ := bytes.Cut(inner, []byte(","))
		node, fraction, ok := joblog.Decimal(bytes.TrimSpace(entry))
		if !ok || fraction != 0 || node < 0 || node > maxNode {
			return false
		}
		p.nodes = append(p.nodes, int32(node))
		inner = rest
	}
	slices.SortFunc(p.nodes, cmp.Compare[int32])
	distinct := 0
	for i, node := range p.nodes {
		if i == 0 || node != p.nodes[i-1] {
			distinct++
		}
	}
	if distinct > 0 {
		r.placement = make([]placed, 0, distinct)
	}
	for i, node := range p.nodes {
		if i == 0 || node != p.nodes[i-1] {
			r.placement = append(r.placement, placed{node: node})
		}
		r.placement[len(r.placement)-1].processors++
	}
	return true
}

// text returns a word as a text, "" if it stands for nothing.
func (p *parser) text(column string, word []byte) string {
	if t, ok := p.texts[string(word)]; ok {
		return t
	}
	t := joblog.Text(string(word))
	if t != string(word) {
		p.addNote(column, codeBadText, word)
		return t
	}
	if t == "-1" {
		t = ""
	}
	if p.texts == nil {
		p.texts = map[string]string{}
	}
	p.texts[string(word)] = t
	return t
}
