package command

import (
	"context"
	"fmt"

	"poolproof/replay"
)

const gatherHelp = `
Put trees of one trace that were replayed apart together into one run. RUN is the run that
one replay of the whole trace makes, byte for byte: tables, digests and manifest. It appears
whole or not at all, and the parts stay as they are. audit judges it then; a part alone can
be audited as well, but knows the other trees by the small tables of the trace only.

The parts have to hold every tree of the trace once, and to be of one program, trace, window,
profile and policy. Else the error names what differs or is missing, and nothing is written.
A part may hold several trees. shards lists which trees are best replayed together.

Example: two processes, on two machines if the folder is shared, replay a trace.
  poolproof replay trace --out part-1 --tree physical
  poolproof replay trace --out part-2 --tree devices,plant-start-over-pool-limit
  poolproof gather part-1 part-2 --out gathered
  poolproof audit gathered

usage: poolproof gather RUN-PART... --out RUN
`

func gatherCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "gather", gatherHelp)
	out := f.String("out", "", "directory `RUN` to make")
	replace := f.Bool("replace", false, "replace RUN if it is a run already")
	quiet := quietFlag(f)
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return usagef("RUN-PART is missing: give the runs that poolproof replay --tree made")
	}
	directory, err := newRun(*out, *replace)
	if err != nil {
		return err
	}
	defer directory.Abort()
	p := newProgress(env, *quiet)
	defer p.done()
	p.step("Gathering %s", counted(f.NArg(), "part"))
	manifest, err := replay.Gather(ctx, directory.Path, f.Args())
	if err != nil {
		return err
	}
	if err := directory.Commit(); err != nil {
		return err
	}
	p.done()
	fmt.Fprintf(p.summary(env.stdout), "Gathered %s of %s: %s\n", counted(len(manifest.Trees), "tree"), counted(f.NArg(), "part"), *out)
	return nil
}
