//go:build prof

package main

import (
	"context"
	"fmt"
	"os"

	"runtime/pprof"
	"syscall"
	"time"
)

func init() {
	p := os.Getenv("PPROF")
	if p == "" {
		return
	}
	f, _ := os.Create(p)
	t := time.Now()
	pprof.StartCPUProfile(f)
	collectSparingly()
	env := &environment{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, terminal: false}
	code := execute(context.Background(), env, os.Args[1:])
	pprof.StopCPUProfile()
	f.Close()
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	fmt.Fprintf(os.Stderr, "CPU %.2f s, wall %.2f s, rss %d MB\n", float64(u.Utime.Nano()+u.Stime.Nano())/1e9, time.Since(t).Seconds(), u.Maxrss/1024)
	os.Exit(code)
}
