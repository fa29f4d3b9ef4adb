package command

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"poolproof/core"
	"poolproof/core/spelling"
	"poolproof/ingest"
	"poolproof/ingest/input"
)

// defaultWorkers is a worker per core.
var defaultWorkers = runtime.NumCPU()

// flagSet is the flags of a command.
type flagSet = *pflag.FlagSet

// newFlags returns the flags of a command, whose --help prints the text, then
// the flags.
func newFlags(env *environment, name, help string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(env.stderr)
	f.SortFlags = false
	f.Usage = func() {
		if env.describe != nil {
			env.describe(help, f)
			return
		}
		fmt.Fprintf(env.stdout, "%s\nFlags:\n%s", strings.TrimLeft(help, "\n"), f.FlagUsagesWrapped(100))
	}
	return f
}

// parse reads the command line and checks the number of arguments.
func parse(f *pflag.FlagSet, args []string, names ...string) ([]string, error) {
	if err := parseFlags(f, args); err != nil {
		return nil, err
	}
	return arguments(f, names...)
}

func parseFlags(f *pflag.FlagSet, args []string) error {
	err := f.Parse(args)
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &unknown):
		var names []string
		f.VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
		name := "--" + unknown.GetSpecifiedName()
		return usagef("unknown flag %s; %s", spelling.OneName(name), spelling.MeantOr(name, names, "--help lists them"))
	case err != nil && err != pflag.ErrHelp:
		return usagef("%v", err)
	}
	return err
}

// arguments returns the positional arguments, which names lists.
func arguments(f *pflag.FlagSet, names ...string) ([]string, error) {
	switch missing := names[min(f.NArg(), len(names)):]; {
	case len(missing) == 1:
		return nil, usagef("%s is missing", missing[0])
	case len(missing) > 1:
		return nil, usagef("%s are missing", strings.Join(missing, " and "))
	}
	if f.NArg() > len(names) {
		return nil, usagef("unexpected argument %q", f.Arg(len(names)))
	}
	return f.Args(), nil
}

// A selection is the part of a trace that a command reads; its flags have the same meaning in all
// commands.
type selection struct {
	part
	workers int
	profile string
}

func (s *selection) addTo(f flagSet) {
	s.part.addTo(f)
	workersFlag(f, &s.workers, workersHelp)
	f.StringVar(&s.profile, "profile", "", "policy `PROFILE`: documented, baseline, current or legacy (default: the trace's, else documented)")
	takes(f, "profile", core.ProfileNames())
}

// A part is the time and the trees of a trace or a run that a command looks at.
type part struct {
	from, to string
	trees    []string
}

func (p *part) addTo(f flagSet) {
	f.StringVar(&p.from, "from", "", "only from this `TIME` on, ISO 8601 UTC (default: the whole window)")
	f.StringVar(&p.to, "to", "", "only up to this `TIME`, exclusive")
	f.StringSliceVar(&p.trees, "tree", nil, treeHelp)
}

// The texts of flags that several commands have.
const (
	quietHelp   = "no progress and no summary: only errors, what is wrong, and of a verdict one line"
	treeHelp    = "only these pool `TREE`s, comma separated (default: all)"
	workersHelp = "trees or audits at a time"
)

// workersFlag adds --workers. Its default is given in words, so that the help is the same on all
// machines.
func workersFlag(f flagSet, workers *int, usage string) {
	f.IntVar(workers, "workers", defaultWorkers, usage)
	f.Lookup("workers").DefValue = "one per core"
}

func quietFlag(f flagSet) *bool { return f.Bool("quiet", false, quietHelp) }

// checkWorkers refuses a number of workers that none can be.
func checkWorkers(n int) error {
	if n < 1 {
		return usagef("--workers %d is less than 1", n)
	}
	return nil
}

// oneOf refuses a word that a flag does not know.
func oneOf(flag, word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return usagef("%s %q is unknown; %s", flag, word, spelling.Meant(word, words))
}

// profileOf returns the profile of --profile, else the trace's.
func (s *selection) profileOf(t *ingest.Trace) (core.Profile, error) {
	if s.profile == "" {
		return t.Profile()
	}
	profile, err := core.ParseProfile(s.profile)
	if err != nil {
		return profile, usagef("%v", err)
	}
	return profile, nil
}

// longestWindow is the most that a window spans, a hundred years.
const longestWindow = 100 * 366 * 24 * 3600 * core.Second

// checkWindow refuses a window of a manifest that nothing can be judged in.
func checkWindow(w core.Span) error {
	switch {
	case w == core.Span{}:
		return input.Errorf("the trace's manifest has no window: write window: {from, to} into it, or import the log again")
	case w.From >= w.To:
		return input.Errorf("the window of the trace's manifest ends before it begins: it is %s to %s", formatTime(w.From), formatTime(w.To))
	case w.To-w.From > longestWindow:
		return input.Errorf("the window of the trace's manifest spans more than a hundred years: it is %s to %s", formatTime(w.From), formatTime(w.To))
	}
	return nil
}

// window narrows the trace's window by --from and --to.
func (s *selection) window(w core.Span) (core.Span, error) {
	if err := checkWindow(w); err != nil {
		return w, err
	}
	return s.narrow(w)
}

// narrow restricts a window to --from and --to.
func (p *part) narrow(w core.Span) (core.Span, error) {
	asked := core.Span{From: math.MinInt64, To: math.MaxInt64}
	var err error
	if p.from != "" {
		if asked.From, err = parseTime("--from", p.from); err != nil {
			return w, err
		}
	}
	if p.to != "" {
		if asked.To, err = parseTime("--to", p.to); err != nil {
			return w, err
		}
	}
	narrowed := core.Span{From: max(w.From, asked.From), To: min(w.To, asked.To)}
	if narrowed.From >= narrowed.To {
		return w, usagef("--from and --to leave nothing of the window %s to %s", formatTime(w.From), formatTime(w.To))
	}
	return narrowed, nil
}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02"}

func parseTime(flag, text string) (core.Time, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return core.Time(t.UnixMicro()), nil
		}
	}
	return 0, usagef("invalid time %q in %s (want one like 2024-05-01T13:00:00Z)", text, flag)
}

func formatTime(t core.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.999999Z")
}
