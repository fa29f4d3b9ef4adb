package yson

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkDecode reads rows like those of jobs, and skips them.
func BenchmarkDecode(b *testing.B) {
	row := `{"timestamp"="2023-11-28T13:00:00.004562Z";"event_type"="job_completed";"job_id"="5459dfa3-fa57e219-3fe03e8-4a103728";` +
		`"resource_limits"={"user_slots"=1;"cpu"=1.5;"gpu"=0;"user_memory"=2147483648;"network"=0};"has_competitors"=%false;` +
		`"statistics"={"time"={"total"={"sum"=61234;"count"=1;"min"=61234;"max"=61234}};"title"="caf\xC3\xA9"}};` + "\n"
	text := []byte(strings.Repeat(row, 1000))
	bin, err := recode(text, true)
	if err != nil {
		b.Fatal(err)
	}
	for _, form := range []struct {
		name string
		in   []byte
	}{{"text", text}, {"binary", bin}} {
		for _, skip := range []bool{false, true} {
			b.Run(fmt.Sprintf("form=%s/skip=%v", form.name, skip), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(form.in)))
				var d Decoder
				for b.Loop() {
					d.Reset(form.in)
					for k := Key; k != End; {
						if k, err = d.Next(); err != nil {
							b.Fatal(err)
						}
						if skip && k == Key {
							if err = d.Skip(); err != nil {
								b.Fatal(err)
							}
						}
					}
				}
				b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
