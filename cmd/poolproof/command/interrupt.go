package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"poolproof/cmd/poolproof/caught"
	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/atomicdir"
)

// patience is the time that an interrupted command has to end. Most end immediately; a YAML parser
// and a system call cannot be interrupted.
const patience = 3 * time.Second

// interruptible returns a context that ends with the first signal that is caught. A command
// that does not end by it is ended when patience is over, and what it was making is removed; a
// second signal ends the wait, and a third one all of it. Two come at once of timeout(1), which
// signals the process and its group.
func interruptible(ctx context.Context, errout io.Writer, patience time.Duration) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	signals := caught.Signals
	go func() {
		<-signals
		cancel()
		select {
		case <-signals:
		case <-time.After(patience):
		}
		go func() {
			<-signals
			os.Exit(exit.Interrupted)
		}()
		atomicdir.AbortAll()
		fmt.Fprintln(errout, "poolproof: interrupted; nothing half-made is left behind")
		os.Exit(exit.Interrupted)
	}()
	return ctx
}
