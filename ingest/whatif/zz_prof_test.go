//go:build prof

package whatif

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"

	"poolproof/core"
	"poolproof/ingest"
	"poolproof/ingest/rerun"
)

func cpuNow() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func TestZZ(t *testing.T) {
	g, _ := strconv.Atoi(os.Getenv("GCP"))
	if g == 0 {
		g = 20
	}
	debug.SetGCPercent(g)
	tr, err := ingest.Open(os.Getenv("TRACE"))
	if err != nil {
		t.Fatal(err)
	}
	a := cpuNow()
	p, _, err := rerun.Plan(context.Background(), tr, core.Documented)
	if err != nil {
		t.Fatal(err)
	}
	b := cpuNow()
	var l *Log
	for i := 0; i < 1; i++ {
		l, err = Simulate(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
	}
	c := cpuNow()
	n := 0
	for i := range l.Plan.Trees {
		for range l.Events(i) {
			n++
		}
	}
	d := cpuNow()
	fmt.Printf("plan %.2f sim %.2f iterate %d events %.2f\n", b-a, c-b, n, d-c)
	h := sha256.New()
	for i := range l.Plan.Trees {
		k := map[string]int{}
		for e := range l.Events(i) {
			fmt.Fprintln(h, told(e), e.Usage, e.Limits, e.Seq, e.Finish, e.End, string(e.Name))
			k[fmt.Sprint(e.Kind)]++
		}
		fmt.Println(l.Plan.Trees[i].Name, k)
	}
	fmt.Printf("hash %x\n", h.Sum(nil)[:8])
}
