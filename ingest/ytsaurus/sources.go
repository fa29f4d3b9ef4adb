package ytsaurus

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/ingest/input"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/yson"
)

// sourceFiles returns the files that the sources name: of a folder all that it
// holds, at any depth, but hidden ones. A file that is named twice is read once.
func sourceFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		if path == joblog.Stdin {
			files = append(files, path)
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("open source: %w", input.Path(path, err))
		}
		if !info.IsDir() {
			files = append(files, filepath.Clean(path))
			continue
		}
		err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fmt.Errorf("list source: %w", err)
			case at != path && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0 && isFile(at):
				files = append(files, at)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	if len(files) == 0 {
		return nil, &parquetlog.FormatError{File: strings.Join(paths, ", "), Found: "there is no file in it",
			Advice: "Give the files of the scheduler's event log, or folders of them."}
	}
	return files, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// detect returns the kind of a source, by its first bytes.
func detect(head []byte) string {
	if bytes.HasPrefix(head, []byte("PAR1")) {
		return KindParquet
	}
	body := bytes.TrimLeft(head, " \t\r\n")
	if len(body) == 0 {
		return KindJSON // of no rows
	}
	form, isRow := formOfRecords(body)
	switch {
	case isRow:
		return form
	case isExport(body):
		return KindPoolTrees
	case isDump(head):
		return KindOrchid
	case body[0] == '<', len(body) > 1 && (body[0] == '{' || body[0] == '[') && body[1] < ' ' && !isSpace(body[1]):
		return KindYSON
	}
	if form != "" {
		return form
	}
	for rest := range recordsOf(body) {
		if k := kindOfMap(rest); k != "" {
			return k
		}
	}
	return KindJSON
}

// recordsOf hands out a text from each line of it that begins as a map. Structured logs
// have other lines, too.
func recordsOf(body []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(body) > 0 {
			if body[0] == '{' && !yield(body) {
				return
			}
			end := bytes.IndexByte(body, '\n')
			if end < 0 {
				return
			}
			body = body[end+1:]
		}
	}
}

// formOfRecords is the form of the first row that a source begins with, or else of its
// first record; "" where none can be read. A record that is damaged says nothing: which
// one comes first must not decide how the others are read.
func formOfRecords(body []byte) (form string, isRow bool) {
	for rest := range recordsOf(body) {
		found, kind := formOfRecord(rest)
		if kind != "" {
			return found, true
		}
		form = cmp.Or(form, found)
	}
	return form, false
}

// formOfRecord is the form of the record that a text begins with, and which kind of row it
// is; "" for what is neither JSON nor YSON, and for what could be both. The text may end
// in the middle of the record.
func formOfRecord(text []byte) (form, kind string) {
	line, _, whole := bytes.Cut(text, []byte("\n"))
	var r row
	var bad *rowError
	err := (&jsonReader{}).read(line, &r)
	switch {
	case err == nil, !whole && errors.As(err, &bad) && bad.offset == int64(len(line)):
		form = KindJSON
	default:
		var in yson.Decoder
		var syntax *yson.SyntaxError
		in.Reset(text)
		if err := (&ysonReader{}).read(&in, &r); err != nil && !(errors.As(err, &syntax) && syntax.Cut) {
			return "", ""
		}
		form = KindYSON
	}
	if len(r.values) == 0 {
		return "", ""
	}
	var c columnSet
	c.read(r.root())
	return form, c.rowKind()
}

// kindOfMap returns the kind of a map by its first key, "" if it shows none.
func kindOfMap(b []byte) string {
	rest := bytes.TrimLeft(b[1:], " \t\r\n")
	switch {
	case len(rest) == 0 || rest[0] == '}':
		return ""
	case rest[0] != '"': // an unquoted key, or one of binary, is YSON's
		return KindYSON
	}
	end := bytes.IndexByte(rest[1:], '"')
	if end < 0 {
		return ""
	}
	if after := bytes.TrimLeft(rest[end+2:], " \t\r\n"); len(after) > 0 && after[0] == '=' {
		return KindYSON
	}
	return KindJSON
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// isExport reports whether a text begins as an export of pool trees does.
func isExport(body []byte) bool {
	if !bytes.HasPrefix(body, []byte("{")) {
		return bytes.HasPrefix(body, []byte("<")) && bytes.Contains(body[:min(len(body), 1<<12)], []byte("default_tree"))
	}
	return bytes.HasPrefix(bytes.TrimLeft(body[1:], " \t\r\n"), []byte(`"$attributes"`))
}

// headBytes is how much of a source is read to find its kind.
const headBytes = 1 << 16

// A sourceReader is a source that is open.
type sourceReader struct {
	file   *joblog.File
	head   []byte // its beginning, which in hands out, too
	in     io.Reader
	damage error // what ended in early, nil if nothing did

	unpacked *os.File // of what is compressed and read in any order
	read     int64    // bytes of the file that are done, of what is read in any order
}

// close closes the files of a source.
func (s *sourceReader) close() {
	if s.unpacked != nil {
		s.unpacked.Close()
	}
	s.file.Close()
}

func openSource(path string) (*sourceReader, error) {
	f, err := joblog.Open(path)
	if err != nil {
		return nil, err
	}
	return newSource(f)
}

// newSource reads the head of an open file, which it closes if that cannot be read.
func newSource(f *joblog.File) (*sourceReader, error) {
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && !isDamage(err) {
		f.Close()
		return nil, err
	}
	s := &sourceReader{file: f, head: head[:n]}
	s.in = io.MultiReader(bytes.NewReader(s.head), s)
	return s, nil
}

// Read reads what follows the head. A compressed source that is damaged ends where
// the damage begins.
func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.file.Read(p)
	if isDamage(err) {
		s.damage = err
	}
	return n, err
}

// parted separates the documents among the sources, exports of pool trees and Orchid dumps, from
// those that are rows.
func (o *Options) parted(files []string) (rows []string, exported, dumps []Export) {
	for _, path := range files {
		e := Export{Path: path, At: o.TakenAt[path]}
		switch kindOf(path, o.asked(path)) {
		case KindPoolTrees:
			exported = append(exported, e)
		case KindOrchid:
			dumps = append(dumps, e)
		default:
			rows = append(rows, path)
		}
	}
	return rows, exported, dumps
}

// kindOf returns the kind of a file, "" if that does not show before it is read.
func kindOf(path, kind string) string {
	if kind != "" || path == joblog.Stdin {
		return kind
	}
	s, err := openSource(path)
	if err != nil {
		return ""
	}
	defer s.file.Close()
	return detect(s.head)
}

// isDamage reports whether an error says that a source is damaged, and not
// that it cannot be read.
func isDamage(err error) bool {
	var format *parquetlog.FormatError
	return errors.As(err, &format)
}

// digestOf returns the SHA-256 of a file as it is stored.
func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open source: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read source: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// totalSize is how many bytes the files have as they are stored, 0 if that is
// not known.
func totalSize(files []string) (total int64) {
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

// removeEmpty removes a folder that may not be there.
func removeEmpty(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove scratch: %w", err)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
