// Package approach has records in the caches before somebody asks for them. What is read of
// several at once is waited for at once; whoever judges reads what one record says and then
// what another says, and would wait for memory each time anew.
package prefetch

import "unsafe"

// Record reads from every cache line of a record that is not empty, and makes nothing of it.
func Record[T any](record *T) { read(unsafe.Pointer(record), unsafe.Sizeof(*record)) }

// Fields reads from those lines of a record that hold its fields from first to last.
func Fields[A, B any](first *A, last *B) {
	from := uintptr(unsafe.Pointer(first))
	read(unsafe.Pointer(first), uintptr(unsafe.Pointer(last))+unsafe.Sizeof(*last)-from)
}

const line = 64 // bytes

// read returns what nobody needs, so that the compiler leaves it alone; it is not inlined,
// so that nobody has to keep that.
//
//go:noinline
func read(from unsafe.Pointer, size uintptr) (sum byte) {
	for at := uintptr(0); at < size; at += line {
		sum += *(*byte)(unsafe.Add(from, at))
	}
	return sum + *(*byte)(unsafe.Add(from, size-1))
}
