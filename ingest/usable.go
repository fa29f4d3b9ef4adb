package ingest

import (
	"fmt"
	"path/filepath"

	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A use says how many rows of the log of a tree were read, and how many of them
// could be used.
type use struct{ rows, used int64 }

// use counts the rows of the stream's tables, apart from those that say how a tree is meant to be, and
// not what happened in it.
func (s *stream) use() (u use) {
	u.used = s.silent
	for _, r := range s.tables {
		if trace.Named(r.table.Name).Large {
			u.rows += r.seen
			u.used += r.used
		}
	}
	return u
}

// Usable is bad input if nothing can be judged by the trees, whose streams have been read to the
// end: if none of them has a row of a log, or one has rows and none can be used. Such a night
// would pass every audit, so that a broken export would look like a scheduler that kept its
// promises.
func (t *Trace) Usable(trees []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var rows int64
	for _, tree := range trees {
		u := t.use[tree]
		if rows += u.rows; u.rows > 0 && u.used == 0 {
			return &parquetlog.FormatError{File: filepath.Join(t.dir, trace.TreeDir(tree)),
				Found:  fmt.Sprintf("none of the %d rows of its log can be used%s", u.rows, t.mostly(tree)),
				Advice: "poolproof validate lists what is wrong with them; with --tree the other trees can be judged without this one."}
		}
	}
	if rows == 0 {
		return &parquetlog.FormatError{File: t.dir, Found: "there is no row of a log before the end of the window, so that nothing can be judged",
			Advice: "Look at the window in the manifest, and at --tree and --to; import the log again if rows are missing."}
	}
	return nil
}

// mostly names the problem that most rows of a tree have.
func (t *Trace) mostly(tree string) string {
	counts := map[string]int64{}
	for key, n := range t.problems[tree].counts {
		counts[key[1]] += n
	}
	code := ""
	for c, n := range counts {
		if n > counts[code] || n == counts[code] && c < code {
			code = c
		}
	}
	if code == "" {
		return ""
	}
	return fmt.Sprintf(": %d have the problem %s", counts[code], code)
}
