package commandtest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// loseInformation copies the event log of a sample without some of what it says, as an export may lose it:
//
//	lose 2023 log.jsonl nodes_info nodes/cpu-0:*
//	lose 2023 log.jsonl fair_share_info pools/etl/parent="prod"
//	lose 2023 log.jsonl fair_share_info +operations
//	lose 2023 log.jsonl * 7%2
//	lose 2023 log.jsonl * 630,784-786
//
// The third word is a pattern of the event type. The last one names keys that are left out, or the JSON
// that stands in their place; with + rows that hold such a key are left out whole; and 7%2 keeps one row in two, drawn
// with the seed 7; numbers are those of rows, from 0 on.
func loseInformation(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: lose SAMPLE FILE EVENT KEYS")
	}
	edit := parseLoss(ts, args[3])
	lost := 0
	var out bytes.Buffer
	for _, line := range sampleRows(ts, args[0]) {
		row := map[string]any{}
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		ts.Check(decoder.Decode(&row))
		if is, _ := path.Match(args[2], row["event_type"].(string)); is && edit(row) {
			lost++
			if len(row) == 0 {
				continue
			}
			text, err := json.Marshal(row)
			ts.Check(err)
			line = string(text)
		}
		out.WriteString(line + "\n")
	}
	if lost == 0 {
		ts.Fatalf("the sample has no %s with %s", args[2], args[3])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o666))
}

// parseLoss returns what takes something out of a row, all of it if the row is lost, and reports whether it
// did.
func parseLoss(ts *testscript.TestScript, text string) func(row map[string]any) bool {
	if seed, part, ok := strings.Cut(text, "%"); ok {
		n, err := strconv.ParseUint(seed, 10, 64)
		ts.Check(err)
		of, err := strconv.Atoi(part)
		ts.Check(err)
		draw := rand.New(rand.NewPCG(n, 0))
		return func(row map[string]any) bool {
			lost := draw.IntN(of) != 0
			if lost {
				clear(row)
			}
			return lost
		}
	}
	if strings.Trim(text, "0123456789,-") == "" {
		return loseNumbered(ts, text)
	}
	name, value, set := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	keys := strings.Split(name, "/")
	whole := strings.HasPrefix(text, "+")
	return func(row map[string]any) bool {
		found := replaceKeys(row, keys, func(of map[string]any, key string) {
			switch {
			case set:
				of[key] = json.RawMessage(value)
			case !whole:
				delete(of, key)
			}
		})
		if found && whole {
			clear(row)
		}
		return found
	}
}

// loseNumbered returns what loses rows by their numbers.
func loseNumbered(ts *testscript.TestScript, text string) func(row map[string]any) bool {
	lost := map[int]bool{}
	for span := range strings.SplitSeq(text, ",") {
		from, to, long := strings.Cut(span, "-")
		if !long {
			to = from
		}
		first, err := strconv.Atoi(from)
		ts.Check(err)
		last, err := strconv.Atoi(to)
		ts.Check(err)
		for n := first; n <= last; n++ {
			lost[n] = true
		}
	}
	n := -1
	return func(row map[string]any) bool {
		if n++; lost[n] {
			clear(row)
		}
		return lost[n]
	}
}

// replaceKeys calls replace with each key that a path of patterns matches.
func replaceKeys(of map[string]any, keys []string, replace func(of map[string]any, key string)) (found bool) {
	for key, value := range of {
		if is, _ := path.Match(keys[0], key); !is {
			continue
		}
		if len(keys) == 1 {
			replace(of, key)
			found = true
		} else if inner, ok := value.(map[string]any); ok {
			found = replaceKeys(inner, keys[1:], replace) || found
		}
	}
	return found
}

func sampleRows(ts *testscript.TestScript, sample string) (rows []string) {
	f, err := os.Open(path.Join(ts.Getenv("SAMPLES"), sample+".jsonl.gz"))
	ts.Check(err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	ts.Check(err)
	scanner := bufio.NewScanner(unzipped)
	scanner.Buffer(nil, 1<<26)
	for scanner.Scan() {
		rows = append(rows, scanner.Text())
	}
	ts.Check(scanner.Err())
	return rows
}
