package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A progress shows how long work goes on: a line that renews itself on a terminal, a line per
// minute elsewhere, nothing if quiet.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	quiet    bool
	last     time.Time
	drawn    bool
}

func newProgress(env *environment, quiet bool) *progress {
	return &progress{w: cmp.Or(env.drawn, env.stderr), terminal: env.terminal, quiet: quiet, last: time.Now()}
}

// showState shows a state if it is time to.
func (p *progress) showState(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	period := time.Minute
	if p.terminal {
		period = 200 * time.Millisecond
	}
	if p.quiet || time.Since(p.last) < period {
		return
	}
	p.last = time.Now()
	text := plainText(fmt.Sprintf(format, args...))
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
		p.drawn = true
	} else {
		fmt.Fprintln(p.w, text)
	}
}

// step states what has been done or begins, unless quiet.
func (p *progress) step(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	if !p.quiet {
		fmt.Fprintln(p.w, plainText(fmt.Sprintf(format, args...)))
	}
}

// done wipes the renewing line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// summary returns the writer for a command's summary, which discards it if quiet.
func (p *progress) summary(w io.Writer) io.Writer {
	if p.quiet {
		return io.Discard
	}
	return w
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
