package ytsaurus

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/ingest/parquetlog"
)

// The kinds of sources, by what they hold; and the forms of those that are rows, whose kind each
// row shows.
const (
	KindAuto          = "auto"
	KindEventLog      = "event_log"
	KindStructuredLog = "structured_log"
	KindOperations    = "operations" // of the archive: ordered_by_id, ordered_by_start_time
	KindJobs          = "jobs"       // of the archive
	KindPoolTrees     = "pool_trees"
	KindOrchid        = "orchid"

	KindJSON    = "json"
	KindYSON    = "yson"
	KindParquet = "parquet"
)

// Kinds are the words of Options.Kind.
var Kinds = []string{KindAuto, KindEventLog, KindStructuredLog, KindOperations, KindJobs, KindPoolTrees, KindOrchid, KindJSON, KindYSON, KindParquet}

// rowKinds are the kinds that rows have, in the order in which they are listed.
var rowKinds = []string{KindEventLog, KindStructuredLog, KindOperations, KindJobs}

// kindTexts say what a row of a kind is.
var kindTexts = map[string]string{
	KindEventLog: "a row of an event log", KindStructuredLog: "a record of a structured log", KindOperations: "an operation of the archive",
	KindJobs: "a job of the archive", KindPoolTrees: "an export of pool trees", KindOrchid: "an Orchid dump",
}

// rowKind says what a row is, "" if nothing in it shows that.
func (c *columnSet) rowKind() string {
	switch {
	case !c[keyEventType].isNull() && !c[keyCategory].isNull():
		return KindStructuredLog
	case !c[keyEventType].isNull():
		return KindEventLog
	case c.isArchivedJob():
		return KindJobs
	case c.isArchived():
		return KindOperations
	}
	return ""
}

// kindOfFirst is the kind of the first record of a source that begins so, "" if that
// does not show.
func kindOfFirst(head []byte) string {
	var r row
	var c columnSet
	_ = parseDocument(head, &r) // the record may be cut off
	if len(r.values) > 0 {
		c.read(r.root())
	}
	return c.rowKind()
}

// asked is the kind that is asked for a source.
func (o *Options) asked(path string) string {
	if kind := o.KindOf[path]; kind != "" && kind != KindAuto {
		return kind
	}
	if o.Kind == KindAuto {
		return ""
	}
	return o.Kind
}

// checkNamed refuses what is said of a source that is none.
func (o *Options) checkNamed(files []string) error {
	for _, path := range sortedKeys(o.KindOf) {
		if !slices.Contains(files, path) {
			return &parquetlog.FormatError{File: path, Found: "--kind names it, and it is not among the sources", Advice: "Name a file that is a source, or in a folder that is one."}
		}
	}
	for _, path := range sortedKeys(o.TakenAt) {
		if kind := kindOf(path, o.asked(path)); kind != KindPoolTrees && kind != KindOrchid {
			return &parquetlog.FormatError{File: path, Found: "it has a time behind @, and its records have times of their own", Advice: "Give exports of pool trees and Orchid dumps so."}
		}
	}
	return nil
}

// isForm reports whether a kind says only how rows are written.
func isForm(kind string) bool { return kind == KindJSON || kind == KindYSON || kind == KindParquet }

// formOf is the form of a source of rows: the one that is asked for, or what its
// beginning shows.
func formOf(asked string, head []byte) (string, error) {
	if isForm(asked) {
		return asked, nil
	}
	form := detect(head)
	if !isForm(form) && asked != "" {
		return "", &parquetlog.FormatError{Found: fmt.Sprintf("it begins as %s, and --kind says %s", kindTexts[form], asked), Advice: kindAdvice}
	}
	return form, nil
}

const kindAdvice = "Leave --kind out: the content of a source shows its kind."

// admit notes what a row is. A row of another kind than was asked for ends the reading.
func (l *loader) admit(c *columnSet) {
	kind := c.rowKind()
	asked := l.options.asked(l.source)
	ofLog := func(kind string) bool { return kind == KindEventLog || kind == KindStructuredLog }
	switch {
	case kind != "":
		l.kinds[slices.Index(rowKinds, kind)] = true
		if asked == "" || isForm(asked) || asked == kind || ofLog(asked) && ofLog(kind) {
			return
		}
	case l.index > 0 || asked == "" || isForm(asked) || ofLog(asked):
		return
	}
	found := kindTexts[kind]
	if kind == "" {
		found = "none of the kinds that are known: it has neither event_type nor the ids of the archive"
	} else if t := c[keyEventType]; !t.isNull() {
		found += " (" + t.string() + ")"
	}
	l.err = &parquetlog.FormatError{File: l.source, Found: fmt.Sprintf("record %d is %s, and --kind says %s", l.index, found, asked), Advice: kindAdvice}
}

// kindRead names what the source under way held, for the manifest.
func (l *loader) kindRead(form string) string {
	var held []string
	for i, is := range l.kinds {
		if is {
			held = append(held, rowKinds[i])
		}
	}
	if len(held) == 0 {
		held = rowKinds[:1]
	}
	return "yt_" + strings.Join(held, "+") + "_" + form
}
