package parquetlog

import (
	"errors"
	"syscall"
	"testing"
)

// fullDisk takes so many bytes and no more.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		return 0, syscall.ENOSPC
	}
	d.left -= len(p)
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	rows := sampleRows(3000, nullPatterns[4].set)
	whole := len(write(t, rows, Options{RowGroupRows: 1000}))
	for _, room := range []int{0, 1, whole / 3, whole / 2, whole - 1} {
		w := NewWriter(sample, &fullDisk{room}, Options{RowGroupRows: 1000})
		var err error
		for i := range rows {
			if err = w.Add(&rows[i]); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes: error is %v", room, whole, err)
		}
	}
}

func TestDeclareRefusesWhatNoColumnCanHold(t *testing.T) {
	type inner struct {
		A struct {
			Value int64
			Set   bool
		} `col:"a" doc:"a"`
	}
	for name, declare := range map[string]func(){
		"a slice": func() {
			Declare[struct {
				S []int64 `col:"s" doc:"s"`
			}]("t", "")
		},
		"an optional in an optional": func() {
			Declare[struct {
				O struct {
					Value inner
					Set   bool
				} `col:"o" doc:"o"`
			}]("t", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it is declared")
				}
			}()
			declare()
		})
	}
}
