package prefetch

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

type record struct {
	before      [2]int64
	first, last [13]int64
	after       [2]int64
}

// TestReadsNothingElse: a record that ends where memory ends, and one that begins where it
// begins, are read without a fault.
func TestReadsNothingElse(t *testing.T) {
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	own := memory[page : 2*page]
	if err := syscall.Mprotect(own, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	begin := (*record)(unsafe.Pointer(&own[0]))
	end := (*record)(unsafe.Pointer(&own[page-int(unsafe.Sizeof(record{}))]))
	for _, r := range []*record{begin, end} {
		Record(r)
		Fields(&r.before, &r.after)
		Fields(&r.first, &r.last)
		Fields(&r.after, &r.after)
	}
}
