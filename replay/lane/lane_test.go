package lane

import (
	"strings"
	"testing"
)

type numbers struct{ list []int }

// What is handed over is worked off in order, and all of it once Wait returns.
func TestWorksOffInOrder(t *testing.T) {
	var got []int
	l := Start(func(b *numbers) {
		got = append(got, b.list...)
		b.list = b.list[:0]
	})
	defer l.Stop()
	const n = 1000
	for i := range n {
		l.Batch.list = append(l.Batch.list, i)
		if i%7 == 0 {
			l.Hand()
		}
		if i%100 == 0 {
			l.Wait()
			if len(got) != i+1 {
				t.Fatalf("%d of %d are worked off", len(got), i+1)
			}
		}
	}
	l.Wait()
	for i, x := range got {
		if x != i {
			t.Fatalf("number %d is %d", i, x)
		}
	}
	if len(got) != n {
		t.Fatalf("%d of %d are worked off", len(got), n)
	}
}

// No more batches are made than go round.
func TestBatchesGoRound(t *testing.T) {
	l := Start(func(*numbers) {})
	defer l.Stop()
	seen := map[*numbers]bool{}
	for i := range 1000 {
		seen[l.Batch] = true
		if i%10 == 0 {
			l.Wait()
		} else {
			l.Hand()
		}
	}
	if len(seen) > batches {
		t.Errorf("%d batches went round, not %d", len(seen), batches)
	}
}

// A panic of the work reaches the goroutine that fills batches, which then can stop the lane.
func TestPanicOfTheWork(t *testing.T) {
	for name, hand := range map[string]func(*Lane[numbers]){
		"hand": func(l *Lane[numbers]) {
			for range 2 * batches {
				l.Hand()
			}
		},
		"wait": func(l *Lane[numbers]) { l.Wait() },
	} {
		t.Run(name, func(t *testing.T) {
			l := Start(func(*numbers) { panic("out of order") })
			defer l.Stop()
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "out of order\n") {
					t.Errorf("panic %q", p)
				}
			}()
			hand(l)
		})
	}
}

// What stands in the batch that is filled is given up when the lane is stopped.
func TestStopEndsTheLane(t *testing.T) {
	worked := 0
	l := Start(func(*numbers) { worked++ })
	l.Hand()
	l.Stop()
	if worked != 1 {
		t.Errorf("%d batches are worked off", worked)
	}
}
