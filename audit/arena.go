package audit

import (
	"sync"
	"unsafe"
)

// A memorySource is an Arrow allocator.
type memorySource interface {
	Allocate(size int) []byte
	Reallocate(size int, b []byte) []byte
	Free(b []byte)
}

// An arena frees what was allocated through it and never given back: the
// reader of Arrow files forgets the dictionaries.
type arena struct {
	under memorySource
	mu    sync.Mutex
	live  map[*byte][]byte
}

func (a *arena) keepBlock(b []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.live == nil {
		a.live = map[*byte][]byte{}
	}
	a.live[unsafe.SliceData(b)] = b
	return b
}

func (a *arena) drop(b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, unsafe.SliceData(b))
}

func (a *arena) Allocate(size int) []byte { return a.keepBlock(a.under.Allocate(size)) }

func (a *arena) Reallocate(size int, b []byte) []byte {
	a.drop(b)
	return a.keepBlock(a.under.Reallocate(size, b))
}

func (a *arena) Free(b []byte) {
	a.drop(b)
	a.under.Free(b)
}

func (a *arena) freeAll() {
	for _, b := range a.live {
		a.under.Free(b)
	}
	a.live = nil
}
