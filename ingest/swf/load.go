package swf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// A log is a file in memory.
type log struct {
	path     string
	header   header
	records  []record
	extended bool  // some line says where its job ran
	rows     int64 // lines that are neither empty nor comments
	source   trace.Source
	alea     bool // the dialect of the memory fields
	problems joblog.Problems
	wider    map[int]int64 // lines with more fields than the format has, by how many they have
}

// progressRows is the number of rows between reports of progress and checks for an interrupt.
const progressRows = 1 << 13

// load reads a log whole.
func load(ctx context.Context, f *joblog.File, progress func(int64)) (*log, error) {
	l := &log{path: f.Path, source: trace.Source{Path: f.Path, Kind: "swf"}}
	var p parser
	for row := int64(0); ; row++ {
		line, err := f.Line()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, joblog.ErrLineTooLong) {
			return nil, err
		}
		if err != nil {
			l.rows++
			l.problems.Quarantine(l.path, row, "", codeLineTooLong, "")
			continue
		}
		l.line(&p, row, line)
		if row%progressRows == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(l.rows)
			}
		}
	}
	if progress != nil {
		progress(l.rows)
	}
	l.source.Rows = l.rows
	var err error
	l.source.SHA256, err = f.Digest()
	return l, err
}

// line takes one line of the file.
func (l *log) line(p *parser, row int64, line []byte) {
	line = bytes.TrimSpace(line)
	if row == 0 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) == 0 {
		return
	}
	if line[0] == ';' {
		if bad := l.header.read(joblog.Text(string(line[1:]))); bad != nil {
			l.problems.Note(l.path, row, bad.key, codeBadHeader, bad.value)
		}
		return
	}
	l.rows++
	r := record{row: row}
	if f := p.parse(line, &r); f != nil {
		l.quarantine(&r, f.column, f.code, f.value)
		return
	}
	for _, n := range p.notes {
		l.noteProblem(&r, n.column, n.code, n.value)
	}
	l.countExtra(p, &r, line)
	l.extended = l.extended || r.placement != nil
	l.records = append(l.records, r)
}

// countExtra counts a line with more fields than the format has, and notes the first of each width:
// all lines of a log have such fields, as a rule.
func (l *log) countExtra(p *parser, r *record, line []byte) {
	if p.extra == 0 {
		return
	}
	if l.wider == nil {
		l.wider = map[int]int64{}
	}
	if l.wider[p.width]++; l.wider[p.width] == 1 {
		l.noteProblem(r, "", codeExtraFields, fmt.Sprintf("%s: %s", fieldCount(p.width), line))
	}
}

func (l *log) quarantine(r *record, column, code, value string) {
	l.problems.Quarantine(l.path, r.row, column, code, value)
}

func (l *log) noteProblem(r *record, column, code, value string) {
	l.problems.Note(l.path, r.row, column, code, value)
}

// absolute is the least submit time that is taken for Unix seconds where it is
// the earliest of a log: 2001-09-09. No log is that long.
const absolute = core.Time(1_000_000_000 * microseconds)

// setTimes makes all submit times absolute. Epoch is the start of a log that
// does not say when it began. It reports whether the log says so.
func (l *log) setTimes(epoch core.Time) (known bool) {
	earliest := core.Time(missing)
	for i := range l.records {
		if s := l.records[i].submit; s != missing && (earliest == missing || s < earliest) {
			earliest = s
		}
	}
	if earliest >= absolute {
		return true
	}
	base := epoch
	if start := l.header.unixStartTime; start > 0 {
		base, known = core.Time(start*microseconds), true
	}
	for i := range l.records {
		if r := &l.records[i]; r.submit != missing {
			r.submit += base
		}
	}
	return known
}
