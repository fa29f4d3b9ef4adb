// Package caught catches the signals that interrupt poolproof, from before main on: it imports
// nothing of the program, so that it is initialized before packages that take long to be.
package caught

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals receives what is to end the program: SIGINT, SIGTERM, and SIGHUP of a terminal that
// closes. SIGHUP and SIGINT stay ignored where the program was started with them ignored: nohup ignores
// SIGHUP, and a shell without job control SIGINT of what it starts in the background.
var Signals = catch()

func catch() <-chan os.Signal {
	signals := make(chan os.Signal, 2) // see interruptible
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}
