package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"poolproof/core"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/ingest/treejson"
)

const fairShareHelp = `
Compute the fair shares of pool trees: one tree per line of FILE (or of
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
  pool_capacity_saturation_period_us, enable_step_function_for_gang_operations
A node is an object of
  id, kind (root, pool or operation), parent, weight (1), max_share (1),
  strong_guarantee_resources, resource_limits
and a pool or the root also of
  mode (fair_share, or fifo), integral_guarantees {guarantee_type (none, burst or
  relaxed), resource_flow, burst_guarantee_resources, can_accept_free_volume (true),
  relaxed_share_multiplier_limit (3), should_distribute_free_volume_among_children},
  integral_resources_state {accumulated_volume, last_share_ratio},
  enable_fair_share_truncation_in_fifo_pool, compute_promised_guarantee_fair_share,
  enable_step_function_for_gang_operations (true),
  enable_priority_strong_guarantee_adjustment,
  enable_priority_strong_guarantee_adjustment_donorship
and an operation of
  resource_demand, resource_usage, start_time, gang, best_allocation_share
Amounts are objects of resources: cpu in cores, memory in bytes, the others in
numbers. Two operations that want all of a tree, one of them of weight 3:
  {"total_resource_limits":{"cpu":100},"nodes":[{"id":"r","kind":"root"},{"id":"a","kind":"operation","parent":"r","resource_demand":{"cpu":100}},{"id":"b","kind":"operation","parent":"r","weight":3,"resource_demand":{"cpu":100}}]}

The rules are those of --profile. With documented, max_share is a part of the parent's
limit; with current it limits nothing, and steps of gangs and priorities of guarantees
count, which older schedulers do not have. Every line is complete: nothing is kept from
one to the next.

usage: poolproof fair-share [FILE|-]
`

// A fairShareJob is a request to the calculator.
type fairShareJob struct {
	compact bool   // leave zeros out
	timed   bool   // time the update
	repeat  int    // how often
	table   bool   // print for a person
	explain string // say what bounds this node
	profile core.Profile
}

func fairShareCommand(ctx context.Context, env *environment, args []string) error {
	var job fairShareJob
	f := newFlags(env, "fair-share", fairShareHelp)
	f.BoolVar(&job.compact, "compact", false, "leave zeros out")
	f.BoolVar(&job.timed, "time", false, "time one full update of each tree; a JSON line per tree on standard error")
	f.IntVar(&job.repeat, "repeat", 1, "with --time, how many updates to time")
	f.BoolVar(&job.table, "table", false, "print each tree as a table")
	f.StringVar(&job.explain, "explain", "", "say in words what bounds the share of `NODE`")
	name := f.String("profile", core.Baseline.String(), "rules of `PROFILE`: documented, baseline, current or legacy")
	takes(f, "profile", core.ProfileNames())
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		args = append(args, "-")
	}
	files, err := parse(f, args, "FILE")
	if err != nil {
		return err
	}
	switch job.profile, err = core.ParseProfile(*name); {
	case err != nil:
		return usagef("%v", err)
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
	buffered := bufio.NewWriter(out)
	read, bad := 0, 0
	for line, err := range treejson.Lines(ctx, in) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		read++
		tree, err := treejson.Read(line.Text, job.profile)
		if err == nil {
			err = job.answer(tree, buffered, errout)
		}
		if err != nil {
			tree.WriteRefusal(buffered, line.Number, err)
			bad++
		}
		if err := buffered.Flush(); err != nil {
			return err
		}
	}
	switch {
	case read == 0:
		fmt.Fprintln(errout, "poolproof fair-share: the input is empty: no tree was read")
	case bad == 1:
		return input.Errorf("1 tree is refused; its line says why")
	case bad > 1:
		return input.Errorf("%d trees are refused; their lines say why", bad)
	}
	return nil
}

// answer computes one tree and writes what was asked of it.
func (job *fairShareJob) answer(tree *treejson.Tree, out *bufio.Writer, errout io.Writer) error {
	if err := tree.Update(); err != nil {
		return err
	}
	if job.timed {
		line, err := tree.Time(job.repeat)
		if err == nil {
			_, err = fmt.Fprintf(errout, "%s\n", line)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case job.table:
		writeTable(out, tree)
	case job.explain != "":
		return tree.WriteExplanation(out, job.explain)
	default:
		tree.WriteResults(out, job.compact)
	}
	return nil
}

// writeTable writes a tree for a person: a line per node, indented by level.
func writeTable(out io.Writer, tree *treejson.Tree) {
	if id := tree.ID(); id != nil {
		fmt.Fprintf(out, "tree %s\n", spelling.OneName(fmt.Sprint(id)))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s\t   node\n", strings.Join(treejson.Columns, "\t"))
	for _, row := range tree.Rows() {
		fmt.Fprintf(table, "%s\t   %s%s\n", strings.Join(row.Cells, "\t"), strings.Repeat("  ", row.Depth), spelling.OneName(row.ID))
	}
	table.Flush()
	for _, e := range tree.Errors() {
		fmt.Fprintf(out, "error %d: %s\n", e.Code, spelling.OneName(e.Message))
	}
}
