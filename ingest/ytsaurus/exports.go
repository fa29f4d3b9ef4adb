package ytsaurus

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// An Export is a file with the pool trees of a cluster, as
// `yt get //sys/pool_trees` writes it.
type Export struct {
	Path string
	At   core.Time // when it was taken; 0 for before the log
}

// exports are the configurations that were given.
type exports struct {
	versions    []exportVersion // in the order of time
	defaultTree string          // of the first that names one
	sources     []trace.Source
}

type exportVersion struct {
	at       core.Time
	document *poolconf.Document
	rows     map[string][]trace.PoolConfig // of the pools of a tree, in their order
}

// maxExport is the most bytes that an export may have.
const maxExport = 512 << 20

// read reads an export, of JSON or YSON.
func (x *exports) read(e Export, memory parquetlog.Memory) error {
	f, err := joblog.Open(e.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	most := atOnce(maxExport, memory.Budget())
	b, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return err
	}
	if len(b) > most && most < maxExport {
		return tooMuch(e.Path, most)
	}
	if len(b) > maxExport {
		return &parquetlog.FormatError{File: e.Path, Found: fmt.Sprintf("it has more than %d MiB, and an export of pool trees has some", maxExport>>20)}
	}
	d, err := poolconf.ParseDocument(e.Path, b)
	if kind := kindOfFirst(b[:min(len(b), headBytes)]); kind != "" {
		return &parquetlog.FormatError{File: e.Path, Found: "it is not an export of pool trees: its first record is " + kindTexts[kind], Advice: exportAdvice, Err: err}
	}
	if err != nil {
		return err
	}
	if !d.Export {
		return &parquetlog.FormatError{File: e.Path, Found: "it is not an export of pool trees: nothing in it has attributes", Advice: exportAdvice}
	}
	digest, err := f.Digest()
	if err != nil {
		return err
	}
	x.versions = append(x.versions, exportVersion{at: e.At, document: d})
	x.sources = append(x.sources, trace.Source{Path: e.Path, Kind: "yt_pool_trees", SHA256: digest, Rows: 1})
	slices.SortStableFunc(x.versions, func(a, b exportVersion) int { return int(min(max(a.at-b.at, -1), 1)) })
	x.defaultTree = ""
	for _, v := range x.versions {
		if v.document.DefaultTree != "" {
			x.defaultTree = v.document.DefaultTree
			break
		}
	}
	return nil
}

const exportAdvice = "Write it by `yt get //sys/pool_trees` with attributes; the README says which."

// learn takes in what the exports say before the log is read: which trees there
// are, and which nodes serve them.
func (l *loader) learn(x *exports) {
	l.exporting = x
	l.noteUnknown(x)
	if x == nil {
		return
	}
	for i := range x.versions {
		l.leaveOutUnknown(&x.versions[i])
	}
	for _, v := range x.versions {
		for i := range v.document.Trees {
			t := &v.document.Trees[i]
			id := l.tree([]byte(t.Name))
			if t.Bare {
				continue
			}
			if slices.ContainsFunc(l.filters, func(f treeFilter) bool { return f.tree == id }) {
				continue
			}
			text, _ := pooltree.NodesFilter(t.Attributes)
			if filter, err := pooltree.ParseFormula(text); err == nil {
				l.filters = append(l.filters, treeFilter{id, filter})
			}
		}
	}
}

// noteUnknown reports the options in the exports that nothing knows, each name once.
func (l *loader) noteUnknown(x *exports) {
	if x == nil {
		return
	}
	reported := map[string]bool{}
	note := func(d *poolconf.Document, o *poolconf.Object, of string, errs []*pooltree.RuleError) {
		for _, e := range errs {
			if key := e.Option + " " + e.Detail; !reported[key] {
				reported[key] = true
				l.problems.Note(d.File, int64(o.LineOf(e.Option)), e.Option, unknownOption, of+": "+e.Detail)
				where := of
				if e.Option != "" && !strings.HasPrefix(e.Detail, strconv.Quote(e.Option)) {
					where += ": " + e.Option
				}
				l.leftOut = append(l.leftOut, leftOutOf(where, e.Detail))
			}
		}
	}
	for _, v := range x.versions {
		for i := range v.document.Trees {
			t := &v.document.Trees[i]
			note(v.document, &t.Object, "tree "+t.Name, pooltree.UnknownTreeOptions(t.Attributes, t.OldLayout))
			today := pooltree.OptionOfToday(t.Attributes, true)
			for k := range t.Pools {
				p := &t.Pools[k]
				note(v.document, &p.Object, "pool "+p.Name, pooltree.UnknownPoolOptions(p.Attributes))
				today = cmp.Or(today, pooltree.OptionOfToday(p.Attributes, false))
			}
			if today != "" {
				l.dialect.saw(optionsOfToday, max(v.at, 1))
			}
		}
	}
}

// of returns what an export says of a tree, nil if it has none of the name.
func (v *exportVersion) of(tree string) *poolconf.DocumentTree {
	for i := range v.document.Trees {
		if v.document.Trees[i].Name == tree {
			return &v.document.Trees[i]
		}
	}
	return nil
}
