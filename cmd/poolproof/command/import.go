package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spec"
	"poolproof/core/spelling"
	"poolproof/ingest/google2011"
	"poolproof/ingest/input"
	"poolproof/ingest/joblog"
	"poolproof/ingest/openb"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/poolconf/validate"
	"poolproof/ingest/swf"
	"poolproof/ingest/ytsaurus"
)

var importHelp = `
Turn a foreign log into a trace, which the other commands read.

FORMAT is one of
  swf     Standard Workload Format, of any archive, plain, gzip or zstd. With the
          extensions of the Alea simulator: nodes per CPU, queue names, and a
          machines file beside the log (SOURCE without .gz, plus .machines).
  openb   the node and pod tables of the openb GPU cluster; SOURCE is the
          folder that holds them, or the paths of the two. It has no users: a
          pod's quality of service is its pool, and no pools are below that.
          Amounts of gpu in --config are devices, though pods share them.
  google2011
          the job events of Google's clusterdata-2011-2; SOURCE is the directory
          that holds job_events.csv and, if they are there, machines.csv and
          machine_remove_events.csv, plain, gzip or zstd. A scheduling class is a
          pool, its users have pools below it. There are no amounts: shares cannot
          be judged, counts of operations and how long they waited can.
  ytsaurus
          the scheduler event log of a YTsaurus cluster as JSON lines, YSON,
          text or binary, or Parquet, or the structured logs of scheduler and
          controller agents; plain, gzip or zstd. Parquet is a copy of the table
          with a column for each key, maps as YSON, JSON or nested columns.
          SOURCE may be several files and folders, in any order, or - for
          standard input. The pools are those of the cluster: give --pool-trees
          instead of --config. Two more sources fill in what the log lacks: rows of
          the operations archive (ordered_by_id, ordered_by_start_time, jobs), in the
          same forms, and Orchid dumps of the scheduler, SOURCE@TIME or with a key
          timestamp. What a source is shows by its content; --kind says otherwise.

With --anonymize the trace has other names: pool-07, user-3, node-012. The same name has
the same replacement in every table and in all options. Numbers, times, amounts, the
structure of pools and the words that the format declares stay, other words of the source become
other-1; titles, messages, annotations, what else of specs no rule reads,
and what the manifest says of sources do not.

In swf, openb and google2011 every queue (or quality of service, or scheduling
class) becomes a pool, of swf queue-1, every user of it a pool below, every job an operation. Rows that
cannot be used are kept in the trace's problems.

Without --config nothing is promised, and audits of promises are undecidable.
The file (YAML or JSON) names pools and their options as the user documentation
does:

  pools:
    prod: {weight: 4, strong_guarantee_resources: {cpu: 640}}
    batch: {resource_limits: {cpu: 1000}, max_running_operation_count: 100}

` + configOptions + `Examples:
  poolproof import swf log.swf --out trace --config pools.yaml
  poolproof import swf log.swf --out trace --anonymize
  poolproof import openb openb/ --out trace --epoch 2023-01-01T00:00:00Z
  poolproof import google2011 google/ --out trace --to 1970-01-02T00:00:00Z
  poolproof import ytsaurus event_log/ --out trace --pool-trees pool_trees.json
  poolproof import ytsaurus event_log/ operations.jsonl jobs.jsonl --out trace --pool-trees pool_trees.json
  poolproof import ytsaurus event_log/ orchid.json@2025-03-03T08:00:30Z --out trace --pool-trees pool_trees.json
  poolproof import ytsaurus event_log/ --out trace --pool-trees old.json --pool-trees new.json@2025-03-03T08:01:00Z --from 2025-03-03T08:00:30Z

usage: poolproof import FORMAT SOURCE... --out TRACE
`

// configOptions names what a configuration file may hold.
var configOptions = `Pools nest under pools: of a pool. Options of a tree stand beside pools:. For
several trees, put such descriptions under trees: by name. Amounts name user_slots,
cpu (cores), gpu, memory (bytes), network; durations are in milliseconds.

` + poolconf.Help() + "\n"

// An importFormat is a kind of log that import reads. Which flags it has, the help of each flag says:
// it begins with the names of its formats unless all have it.
type importFormat struct {
	name        string
	mostSources int // 0: any number
	read        func(*importRequest, context.Context) (joblog.Summary, error)
}

var importFormats = []importFormat{
	{"swf", 1, (*importRequest).readSWF},
	{"openb", 2, (*importRequest).readOpenb},
	{"google2011", 1, (*importRequest).readGoogle2011},
	{"ytsaurus", 0, (*importRequest).readYTsaurus},
}

// formatNames returns the names of the formats of import.
func formatNames() (names []string) {
	for _, f := range importFormats {
		names = append(names, f.name)
	}
	return names
}

// formatsOf returns the formats that a flag is of, nil if it is of all.
func formatsOf(flag *pflag.Flag) []string {
	before, _, _ := strings.Cut(flag.Usage, ": ")
	names, known := strings.Split(before, ", "), formatNames()
	if slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(known, name) }) {
		return nil
	}
	return names
}

// What the fields of a log are put to, and how its memory is counted.
var (
	treeFields      = []string{"none", "partition"}
	swfPoolFields   = []string{"queue", "group", "user"}
	classPoolFields = []string{"class", "user"}
	dialects        = []string{"auto", "standard", "alea"}
)

// An importRequest holds what the arguments of import ask for.
type importRequest struct {
	config, epoch, machines, treeBy, poolBy, dialect string
	ytsaurus                                         ytsaurusFlags

	sources  []string
	pools    *poolconf.File
	start    core.Time
	place    importPlace
	progress *progress
}

func (r *importRequest) addFlags(f flagSet) {
	f.StringVar(&r.config, "config", "", "swf, openb, google2011: `FILE` with what the pools are promised, YAML or JSON")
	f.StringVar(&r.epoch, "epoch", "1970-01-01T00:00:00Z", "swf, openb, google2011: `TIME` that a log with relative times began at")
	f.StringVar(&r.machines, "machines", "", "swf: `FILE` with the machines (default: the one beside the log)")
	f.StringVar(&r.treeBy, "tree-by", "none", "swf: one tree in all, or one per `FIELD`: none, partition")
	f.StringVar(&r.poolBy, "pool-by", "", "swf, google2011: `FIELD` that names the pool. swf: queue (default), group, user;\ngoogle2011: class (default), user")
	f.StringVar(&r.dialect, "dialect", "auto", "swf: how memory is counted, `WORD`: auto, standard, alea")
	takes(f, "tree-by", treeFields)
	takes(f, "pool-by", []string{"queue", "group", "class", "user"})
	takes(f, "dialect", dialects)
	r.ytsaurus.addTo(f)
}

func importCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "import", importHelp)
	out := f.String("out", "", "directory `TRACE` to make")
	replace := f.Bool("replace", false, "replace TRACE if it is a trace already")
	var r importRequest
	r.addFlags(f)
	rowGroup := f.Int("row-group-rows", 0, "rows in a row group of the trace's files (default 1048576)")
	anonymous := f.Bool("anonymize", false, anonymizeHelp)
	keyFile := f.String("anonymize-key", "", anonymizeKeyHelp)
	quiet := quietFlag(f)
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if f.NArg() < 2 {
		_, err := arguments(f, "FORMAT", "SOURCE")
		return err
	}
	format, err := formatOf(f)
	if err != nil {
		return err
	}
	if *out == "" {
		return usagef("--out TRACE is missing: name the directory to make")
	}
	if *rowGroup < 0 {
		return usagef("--row-group-rows %d is negative", *rowGroup)
	}
	if err := format.checkFlags(f); err != nil {
		return err
	}
	if err := r.readSettings(f.Args()[1:]); err != nil {
		return err
	}
	r.progress = newProgress(env, *quiet)
	defer r.progress.done()
	key, err := readAnonymizeKey(*keyFile, *anonymous)
	if err != nil {
		return err
	}
	r.place = importPlace{out: *out, replace: *replace, rowGroup: *rowGroup, anonymous: *anonymous, key: key}
	if err := r.place.checkOutput(); err != nil {
		return err
	}
	defer r.place.end()
	summary, err := format.read(&r, ctx)
	if err != nil {
		return err
	}
	result, err := r.place.replaceNames(ctx)
	if err != nil {
		return err
	}
	r.progress.done()
	printImport(r.progress.summary(env.stdout), &summary, strings.Join(r.sources, ", "), *out)
	if result != nil {
		fmt.Fprintf(r.progress.summary(env.stdout), "Replaced %s, and the ids of all operations and jobs; what is printed here has those of the log\n", counted(result.Names, "name"))
	}
	return nil
}

// formatOf returns the format that the first argument names.
func formatOf(f flagSet) (importFormat, error) {
	i := slices.IndexFunc(importFormats, func(known importFormat) bool { return known.name == f.Arg(0) })
	if i < 0 {
		return importFormat{}, usagef("unknown format %q; %s. Write another log as swf: a line per job, 18 numbers", f.Arg(0), spelling.Meant(f.Arg(0), formatNames()))
	}
	return importFormats[i], nil
}

// checkFlags refuses flags of other formats, and more sources than the format takes.
func (format *importFormat) checkFlags(f flagSet) error {
	var wrong []*pflag.Flag
	f.Visit(func(flag *pflag.Flag) {
		if has := formatsOf(flag); has != nil && !slices.Contains(has, format.name) {
			wrong = append(wrong, flag)
		}
	})
	if len(wrong) > 0 {
		first := slices.MinFunc(wrong, func(a, b *pflag.Flag) int { return cmp.Compare(a.Name, b.Name) })
		return usagef("--%s is a flag of the format %s", first.Name, strings.Join(formatsOf(first), " or "))
	}
	if most := format.mostSources; most > 0 && f.NArg() > 1+most {
		return usagef("unexpected argument %q: %s takes %s", f.Arg(1+most), format.name, counted(most, "SOURCE"))
	}
	return nil
}

// readSettings reads what the flags of several formats name.
func (r *importRequest) readSettings(sources []string) (err error) {
	r.sources = sources
	if r.start, err = parseTime("--epoch", r.epoch); err != nil {
		return err
	}
	if r.config != "" {
		r.pools, err = readLegalConfig(r.config)
	}
	return err
}

func (r *importRequest) showRows(rows int64) { r.progress.showState("%d rows read", rows) }

func (r *importRequest) readSWF(ctx context.Context) (joblog.Summary, error) {
	for _, choice := range []struct {
		flag, value string
		known       []string
	}{
		{"--tree-by", r.treeBy, treeFields},
		{"--pool-by", cmp.Or(r.poolBy, "queue"), swfPoolFields},
		{"--dialect", r.dialect, dialects},
	} {
		if err := oneOf(choice.flag, choice.value, choice.known); err != nil {
			return joblog.Summary{}, err
		}
	}
	return swf.Import(ctx, swf.Options{
		Source: r.sources[0], Machines: r.machines, Out: r.place.path, Replace: r.place.replace,
		TreeBy: r.treeBy, PoolBy: r.poolBy, Config: r.pools, Dialect: r.dialect, Epoch: r.start,
		RowGroupRows: r.place.rowGroup, Progress: r.showRows,
	})
}

func (r *importRequest) readOpenb(ctx context.Context) (joblog.Summary, error) {
	if info, err := os.Stat(r.sources[0]); err == nil && !info.IsDir() && len(r.sources) == 1 {
		return joblog.Summary{}, usagef("%s is one file: openb takes the folder of the log, or its table of nodes and its table of pods", r.sources[0])
	}
	return openb.Import(ctx, openb.Options{
		Sources: r.sources, Out: r.place.path, Replace: r.place.replace, Config: r.pools, Epoch: r.start,
		RowGroupRows: r.place.rowGroup, Progress: r.showRows,
	})
}

func (r *importRequest) readGoogle2011(ctx context.Context) (joblog.Summary, error) {
	if info, err := os.Stat(r.sources[0]); err == nil && !info.IsDir() {
		return joblog.Summary{}, usagef("%s is a file: google2011 wants the directory that holds job_events.csv", r.sources[0])
	}
	if err := oneOf("--pool-by", cmp.Or(r.poolBy, "class"), classPoolFields); err != nil {
		return joblog.Summary{}, err
	}
	var to core.Time
	if r.ytsaurus.to != "" {
		var err error
		if to, err = parseTime("--to", r.ytsaurus.to); err != nil {
			return joblog.Summary{}, err
		}
	}
	return google2011.Import(ctx, google2011.Options{
		Directory: r.sources[0], Out: r.place.path, Replace: r.place.replace, PoolBy: r.poolBy, Config: r.pools, Epoch: r.start, To: to,
		RowGroupRows: r.place.rowGroup, Progress: r.showRows,
	})
}

func (r *importRequest) readYTsaurus(ctx context.Context) (joblog.Summary, error) {
	o, err := r.ytsaurus.options(r.progress, r.sources)
	if err != nil {
		return joblog.Summary{}, err
	}
	o.Out, o.Replace, o.RowGroupRows = r.place.path, r.place.replace, r.place.rowGroup
	s, err := ytsaurus.Import(ctx, *o)
	if err != nil {
		return joblog.Summary{}, err
	}
	r.sources = o.Sources
	return *s, nil
}

// readLegalConfig reads a configuration for an import, which is refused where validate refuses it:
// no scheduler ever took it, so that none could break a rule by it.
func readLegalConfig(path string) (*poolconf.File, error) {
	text, err := poolconf.ReadText(path)
	if err != nil {
		return nil, err
	}
	pools, err := poolconf.Parse(path, text)
	if err != nil {
		return nil, err
	}
	d, err := poolconf.ParseDocument(path, text)
	if err != nil {
		return nil, err
	}
	return pools, refusalOfConfig(path, validate.Document(d, text, pooltree.Documented))
}

// refusalOfConfig is the error that names the first illegal spot of a configuration, nil if it has
// none.
func refusalOfConfig(path string, found *validate.Spots) error {
	i := slices.IndexFunc(found.List, func(s validate.Spot) bool { return s.Severity != spec.Info })
	if i < 0 {
		return nil
	}
	s := &found.List[i]
	e := &pooltree.RuleError{Rule: s.Rule, Tree: s.Tree, Pool: s.Pool, Option: s.Option, Detail: s.Found}
	text := fmt.Sprintf("%v: rule %s", e, s.Rule)
	if s.Invariant != "" {
		text += " (" + s.Invariant + ")"
	}
	if more := found.Illegal() - 1; more > 0 {
		text += fmt.Sprintf("; poolproof validate lists %s", counted(more, "more illegal spot"))
	}
	return input.At(path, max(s.Line, 1), "%s", text)
}

// counted is a number of things: 1 row, 2 rows.
func counted[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// listed are names for a person, of many the first in their order and how many more.
func listed(names []string) string {
	const most = 6
	if len(names) <= most {
		return spelling.Names(names)
	}
	names = slices.Sorted(slices.Values(names))
	return fmt.Sprintf("%s and %d more", spelling.Names(names[:most-1]), len(names)-most+1)
}

// printImport prints what an import found.
func printImport(w io.Writer, s *joblog.Summary, source, out string) {
	fmt.Fprintf(w, "Imported %s: %s, %d quarantined\n", source, counted(s.Rows, "row"), s.QuarantinedRows())
	for _, c := range s.Quarantined {
		fmt.Fprintf(w, "  %s %s: left out, see the trace's problems\n", counted(c.Rows, "row"), c)
	}
	for _, c := range s.Noted {
		fmt.Fprintf(w, "  %s %s: used without that value\n", counted(c.Rows, "row"), c)
	}
	fmt.Fprintf(w, "%s and %s on %s, in %s of %s (%s)\n",
		counted(s.Operations, "operation"), counted(s.Jobs, "job"), counted(s.Nodes, "node"),
		counted(s.Pools, "pool"), counted(len(s.Trees), "tree"), listed(s.Trees))
	fmt.Fprintf(w, "Window %s to %s\n", formatTime(s.Window.From), formatTime(s.Window.To))
	for _, note := range s.Notes {
		fmt.Fprintf(w, "Note: %s\n", spelling.OneName(note))
	}
	fmt.Fprintf(w, "Trace: %s\n", out)
}
