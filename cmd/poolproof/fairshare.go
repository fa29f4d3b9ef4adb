package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"poolproof/core/fairshare"
	"poolproof/ingest/input"
)

const fairShareHelp = `
Computes the fair shares of pool trees: one tree per line of FILE (or of
standard input), as a JSON object; one line of results for each, in order. A
tree that is no tree, or that the algorithm refuses, gets a line with the
status "abort" and the reason, and makes the exit code 65. An object that spans
lines is refused as a whole.

Examples:
  poolproof fair-share trees.jsonl
  poolproof fair-share --table tree.jsonl
  poolproof fair-share --explain a - < tree.jsonl

A tree is an object of these keys; what is absent is not set, or as in brackets.
  id, total_resource_limits {user_slots, cpu, gpu, memory, network}, nodes,
  main_resource (cpu), now_us, previous_update_time_us, smooth_period_us,
  pool_capacity_saturation_period_us
A node is an object of
  id, kind (root, pool or operation), parent, weight (1), max_share (1),
  strong_guarantee_resources, resource_limits
and a pool or the root also of
  mode (fair_share, or fifo), integral_guarantees {guarantee_type (none, burst or
  relaxed), resource_flow, burst_guarantee_resources, can_accept_free_volume (true),
  relaxed_share_multiplier_limit (3), should_distribute_free_volume_among_children},
  integral_resources_state {accumulated_volume, last_share_ratio},
  enable_fair_share_truncation_in_fifo_pool, compute_promised_guarantee_fair_share
and an operation of
  resource_demand, resource_usage, start_time, gang, best_allocation_share
Amounts are objects of resources: cpu in cores, memory in bytes, the others in
numbers. Two operations that want all of a tree, one of them of weight 3:
  {"total_resource_limits":{"cpu":100},"nodes":[{"id":"r","kind":"root"},{"id":"a","kind":"operation","parent":"r","resource_demand":{"cpu":100}},{"id":"b","kind":"operation","parent":"r","weight":3,"resource_demand":{"cpu":100}}]}

The rules are those of the profile baseline. Every line is complete: nothing
is kept from one to the next.

usage: poolproof fair-share [FILE|-]
`

// A fairShareJob is what the calculator is asked for.
type fairShareJob struct {
	compact bool   // leave zeros out
	timed   bool   // time the update
	repeat  int    // how often
	table   bool   // print for a person
	explain string // say what bounds this node
}

func fairShareCommand(ctx context.Context, env *environment, args []string) error {
	var job fairShareJob
	f := newFlags(env, "fair-share", fairShareHelp)
	f.BoolVar(&job.compact, "compact", false, "leave zeros out")
	f.BoolVar(&job.timed, "time", false, "time one full update of each tree; a JSON line per tree on standard error")
	f.IntVar(&job.repeat, "repeat", 1, "with --time, how many updates to time")
	f.BoolVar(&job.table, "table", false, "print each tree as a table")
	f.StringVar(&job.explain, "explain", "", "say in words what bounds the share of `NODE`")
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		args = append(args, "-")
	}
	files, err := parse(f, args, "FILE")
	switch {
	case err != nil:
		return err
	case job.repeat < 1:
		return usagef("--repeat must be 1 or more")
	case job.table && job.explain != "", job.compact && (job.table || job.explain != ""):
		return usagef("--compact, --table and --explain exclude each other")
	}
	in := env.stdin
	if files[0] != "-" {
		file, err := input.Open(files[0])
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	return job.run(ctx, in, env.stdout, env.stderr)
}

// run computes every line of in.
func (job *fairShareJob) run(ctx context.Context, in io.Reader, out, errout io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	buffered := bufio.NewWriter(out)
	read, bad := 0, 0
	for number := 1; ; number++ {
		line, err := readLine(ctx, lines, number)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		last := err != nil
		if len(bytes.TrimSpace(line)) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if read++; read == 1 && !last && jsonState(line) == jsonCutShort {
				rest, err := io.ReadAll(io.LimitReader(lines, mostSpread))
				if err != nil {
					return err
				}
				if jsonState(slices.Concat(line, rest)) == jsonComplete {
					return &inputError{errors.New("one tree per line: write the object on a single line")}
				}
				lines = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(rest), lines), 1<<20)
			}
			if !job.line(number, line, buffered, errout) {
				bad++
			}
			if err := buffered.Flush(); err != nil {
				return err
			}
		}
		if last {
			break
		}
	}
	switch {
	case read == 0:
		fmt.Fprintln(errout, "poolproof fair-share: the input is empty: no tree was read")
	case bad == 1:
		return &inputError{errors.New("1 tree is refused; its line says why")}
	case bad > 1:
		return &inputError{fmt.Errorf("%d trees are refused; their lines say why", bad)}
	}
	return nil
}

// longestTree is the most bytes of a line: a tree of a million nodes.
const longestTree = 256 << 20

// readLine returns the next line, with the end of input if it is the last one.
func readLine(ctx context.Context, lines *bufio.Reader, number int) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(line) > longestTree:
			return nil, &inputError{fmt.Errorf("line %d has more than %d MiB, the most that is read of a tree", number, longestTree>>20)}
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// mostSpread is how many bytes are looked at to tell an object that spans lines
// from a line that is cut short.
const mostSpread = 64 << 20

// What jsonState finds.
const (
	jsonWrong    = iota
	jsonCutShort // the beginning of a value
	jsonComplete // values, one or more, to the end
)

func jsonState(data []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(quoteOddNumbers(data)))
	for {
		var value json.RawMessage
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return jsonComplete
		case errors.Is(err, io.ErrUnexpectedEOF):
			return jsonCutShort
		case err != nil:
			return jsonWrong
		}
	}
}

// line computes one tree and reports whether it is good.
func (job *fairShareJob) line(number int, line []byte, out *bufio.Writer, errout io.Writer) bool {
	input, err := readTree(line)
	if err == nil {
		err = job.compute(input, errout)
	}
	switch {
	case err != nil:
		writeRefusal(out, input, number, err)
		return false
	case job.table:
		input.writeTable(out)
	case job.explain != "":
		if err := input.writeExplanation(out, job.explain); err != nil {
			writeRefusal(out, input, number, err)
			return false
		}
	default:
		input.writeResults(out, job.compact)
	}
	return true
}

// compute updates the tree, as often as asked, and prints how long it took.
func (job *fairShareJob) compute(input *treeInput, errout io.Writer) error {
	if err := input.tree.Update(input.now, input.previous); err != nil || !job.timed {
		return err
	}
	took := make([]float64, job.repeat)
	runtime.GC() // what reading left behind
	for i := range took {
		input.restore()
		input.tree.Recompute()
		start := time.Now()
		if err := input.tree.Update(input.now, input.previous); err != nil {
			return err
		}
		took[i] = float64(time.Since(start).Nanoseconds()) / 1e3
	}
	slices.Sort(took)
	median := (took[(len(took)-1)/2] + took[len(took)/2]) / 2
	line, err := json.Marshal(struct {
		ID     any     `json:"id"`
		Median float64 `json:"median_us"`
		Min    float64 `json:"min_us"`
	}{input.id, median, took[0]})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(errout, "%s\n", line)
	return err
}

// A treeInput is one line of input as a tree.
type treeInput struct {
	id            any // as given
	now, previous int64

	tree     *fairshare.Tree
	nodes    []nodeInput
	elements []fairshare.Element          // of nodes
	indexes  map[fairshare.Element]int    // of elements, into nodes
	byName   map[string]int               // of ids, into nodes
	children [][]int                      // of nodes
	states   map[fairshare.Element]*state // of pools
}

// restore undoes what updates carry forward.
func (in *treeInput) restore() {
	for e, s := range in.states {
		in.tree.SetIntegralState(e, s.volume, s.last)
	}
}
