package openb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
)

// A list is one of the two tables of a log.
type list struct {
	name      string // for messages
	prefix    string // of the names of its files as they are published
	published string // the one that holds all of the cluster
	column    string // one that only this table has
}

var (
	nodeList = list{"nodes", "openb_node_list", "openb_node_list_all_node.csv", "sn"}
	podList  = list{"pods", "openb_pod_list", "openb_pod_list_default.csv", "pod_phase"}
)

const twoTables = "Name its table of nodes and its table of pods: poolproof import openb NODES PODS --out TRACE."

// find completes the paths of the two tables.
func (o *Options) find() error {
	if o.Nodes != "" && o.Pods != "" {
		return nil
	}
	files, err := o.files()
	if err != nil {
		return err
	}
	for _, wanted := range []struct {
		path *string
		list
	}{{&o.Nodes, nodeList}, {&o.Pods, podList}} {
		if *wanted.path != "" {
			continue
		}
		if *wanted.path, err = o.choose(wanted.list, files); err != nil {
			return err
		}
	}
	return nil
}

// A candidate is a file that may be one of the tables, and the names of its columns.
type candidate struct {
	path    string
	columns []string
}

// files returns the files that are given, or those of the folder that are CSV by their name.
func (o *Options) files() (files []candidate, err error) {
	paths := o.Sources
	if len(paths) == 1 {
		info, err := os.Stat(paths[0])
		if err != nil {
			return nil, fmt.Errorf("open log: %w", err)
		}
		if info.IsDir() {
			if paths, err = tablesIn(paths[0]); err != nil {
				return nil, err
			}
		}
	}
	for _, path := range paths {
		columns, err := columnsOf(path)
		if err != nil {
			return nil, err
		}
		files = append(files, candidate{path, columns})
	}
	return files, nil
}

func tablesIn(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".zst")
		if !e.IsDir() && strings.HasSuffix(name, ".csv") {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, nil
}

// columnsOf returns what stands in the first line of a file.
func columnsOf(path string) ([]string, error) {
	f, err := joblog.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		line, err := f.Line()
		switch {
		case err == io.EOF || errors.Is(err, joblog.ErrLineTooLong):
			return nil, nil
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(line)) > 0:
			return strings.Split(strings.TrimPrefix(string(line), "\ufeff"), ","), nil
		}
	}
}

// choose returns the one file that is the list, or the published one of several; Import notes
// which others there are.
func (o *Options) choose(l list, files []candidate) (string, error) {
	var found []string
	for _, f := range files {
		if slices.Contains(f.columns, l.column) {
			found = append(found, f.path)
		}
	}
	if found == nil { // the reader of a table says better what is wrong with it
		for _, f := range files {
			if strings.HasPrefix(filepath.Base(f.path), l.prefix) {
				found = append(found, f.path)
			}
		}
	}
	at := slices.IndexFunc(found, func(path string) bool {
		name, _ := strings.CutPrefix(filepath.Base(path), l.published)
		return slices.Contains([]string{"", ".gz", ".zst"}, name)
	})
	switch {
	case len(found) == 0:
		var names []string
		for _, f := range files {
			names = append(names, f.path)
		}
		return "", &parquetlog.FormatError{File: strings.Join(o.Sources, ", "),
			Found: fmt.Sprintf("none of its files is a table of %s, with a column %s: %s", l.name, l.column, few(names)), Advice: twoTables}
	case len(found) == 1:
		return found[0], nil
	case at < 0 || len(o.Sources) > 1:
		return "", &parquetlog.FormatError{File: strings.Join(o.Sources, ", "),
			Found: fmt.Sprintf("%d of its files are tables of %s: %s", len(found), l.name, few(found)), Advice: twoTables}
	}
	taken := found[at]
	o.choices = append(o.choices, fmt.Sprintf("The folder has %d tables of %s. The import takes %s and leaves out %s.",
		len(found), l.name, filepath.Base(taken), few(slices.Delete(found, at, at+1))))
	return taken, nil
}

// few are the names of files, of many the first ones and how many more.
func few(paths []string) string {
	const most = 3
	var names []string
	for _, path := range paths[:min(len(paths), most)] {
		names = append(names, filepath.Base(path))
	}
	switch more := len(paths) - most; {
	case len(paths) == 0:
		return "there is no CSV file"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}
