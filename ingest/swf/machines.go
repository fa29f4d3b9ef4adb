package swf

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A cluster is a line of a machines file: nodes of one kind.
type cluster struct {
	name       string
	nodes      int64
	processors int64 // of a node
	memory     int64 // of a node, bytes
}

// readMachines reads a machines file: cluster id, name, nodes, processors per
// node, speed and memory per node in KB, separated by white space. A file of
// a handful of lines is right or wrong as a whole.
func readMachines(path string) (clusters []cluster, source trace.Source, err error) {
	f, err := joblog.Open(path)
	if err != nil {
		return nil, source, err
	}
	defer f.Close()
	source = trace.Source{Path: path, Kind: "swf machines"}
	for row := 1; ; row++ {
		line, err := f.Line()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, joblog.ErrLineTooLong) {
			return nil, source, err
		}
		text := strings.TrimSpace(string(line))
		if err == nil && (text == "" || text[0] == ';' || text[0] == '#') {
			continue
		}
		c, bad := parseCluster(text)
		if bad != "" {
			return nil, source, &parquetlog.FormatError{File: path, Found: fmt.Sprintf("line %d: %s", row, bad),
				Advice: "A line has cluster id, name, nodes, CPUs per node, speed and KB of memory per node."}
		}
		for _, known := range clusters {
			if known.name == c.name {
				return nil, source, &parquetlog.FormatError{File: path, Found: fmt.Sprintf("line %d: cluster %s is there twice", row, c.name)}
			}
		}
		clusters = append(clusters, c)
		source.Rows++
	}
	source.SHA256, err = f.Digest()
	return clusters, source, err
}

// parseCluster returns what is wrong with a line as a clause.
func parseCluster(text string) (c cluster, bad string) {
	words := strings.Fields(text)
	if len(words) < 6 {
		return c, "it has fewer than 6 fields"
	}
	var amounts [3]int64
	for i, at := range [...]int{2, 3, 5} {
		n, err := strconv.ParseInt(words[at], 10, 64)
		if err != nil || n < 0 || n > maxNumber/1024 {
			return c, fmt.Sprintf("invalid amount %q", words[at])
		}
		amounts[i] = n
	}
	return cluster{joblog.Text(words[1]), amounts[0], amounts[1], amounts[2] * 1024}, ""
}
