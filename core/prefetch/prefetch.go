// Package prefetch reads records into the cache before they are needed, so that cache misses
// overlap. A caller that judges one record after the other would wait for memory at each.
package prefetch

import "unsafe"

// Record reads every cache line of a record, which must not be empty.
func Record[T any](record *T) { read(unsafe.Pointer(record), unsafe.Sizeof(*record)) }

// Fields reads the cache lines of a record that hold its fields from first to last.
func Fields[A, B any](first *A, last *B) {
	from := uintptr(unsafe.Pointer(first))
	read(unsafe.Pointer(first), uintptr(unsafe.Pointer(last))+unsafe.Sizeof(*last)-from)
}

const line = 64 // bytes

// read returns a sum so that the compiler does not remove the reads. It is not inlined, so
// that callers need not use the sum.
//
//go:noinline
func read(from unsafe.Pointer, size uintptr) (sum byte) {
	for at := uintptr(0); at < size; at += line {
		sum += *(*byte)(unsafe.Add(from, at))
	}
	return sum + *(*byte)(unsafe.Add(from, size-1))
}
