package ytsaurus

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"poolproof/ingest/parquetlog"
)

// parquetRows reads the rows of a Parquet file.
func (r *reading) parquetRows(s *sourceReader) error {
	in, size, err := s.anywhere(r.scratch)
	if err != nil {
		return err
	}
	records, err := parquetlog.OpenRecords(s.file.Path, in, size, r.budget, r.parquet.pick)
	if err != nil {
		return err
	}
	defer records.Close()
	if size > 0 {
		if err := r.parquet.check(s.file.Path); err != nil {
			return err
		}
	}
	for {
		r.parquet.begin(&r.record)
		err := records.Next(&r.parquet)
		switch {
		case err == io.EOF:
			return nil
		case r.index >= 0 && isDamage(err):
			s.damage = err
			return nil
		case err != nil:
			return err
		}
		r.index++
		s.read = int64(float64(size) * float64(r.index+1) / float64(records.Rows()))
		if err := r.tick(s); err != nil {
			return err
		}
		if column, err := r.parquet.end(); err != nil {
			r.quarantine(column, badRow, err.Error())
			continue
		}
		r.row(&r.record)
		if r.err != nil {
			return r.err
		}
	}
}

// check refuses a file whose rows cannot be events.
func (p *parquetReader) check(path string) error {
	has := func(wanted key) bool {
		return slices.ContainsFunc(p.columns, func(c parquetColumn) bool { return c.known.key == wanted })
	}
	if has(keyIDHi) && has(keyIDLo) || has(keyJobHi) && has(keyJobLo) {
		return nil // of the operations archive
	}
	for _, wanted := range []key{keyEventType, keyTimestamp} {
		if !has(wanted) {
			name := map[key]string{keyEventType: "event_type", keyTimestamp: "timestamp"}[wanted]
			return &parquetlog.FormatError{File: path, Column: name, Found: "the file has no such column, and an event log has it",
				Advice: "Copy the event log with this column, or leave the file out."}
		}
	}
	return nil
}

// anywhere returns the bytes of a source for reading in any order, as Parquet is read.
// What can only be read from its beginning goes to a file below scratch, which has no
// name any more.
func (s *sourceReader) anywhere(scratch string) (io.ReaderAt, int64, error) {
	in, size, err := s.file.Anywhere()
	if err != nil || in != nil {
		return in, size, err
	}
	if err := os.MkdirAll(scratch, 0o777); err != nil {
		return nil, 0, fmt.Errorf("unpack %s: %w", s.file.Path, err)
	}
	path := filepath.Join(scratch, "parquet")
	f, err := os.Create(path)
	if err != nil {
		return nil, 0, fmt.Errorf("unpack %s: %w", s.file.Path, err)
	}
	s.unpacked = f
	if err := os.Remove(path); err != nil {
		return nil, 0, fmt.Errorf("unpack %s: %w", s.file.Path, err)
	}
	size, err = io.Copy(f, s.in)
	return f, size, err
}
