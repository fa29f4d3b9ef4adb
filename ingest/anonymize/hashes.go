package anonymize

import (
	"hash/maphash"
	"slices"
)

// hashes tell which texts may have been added several times, in eight bytes each.
type hashes struct {
	seed   maphash.Seed
	values []uint64
}

func (h *hashes) add(text string) {
	if h.values == nil {
		h.seed = maphash.MakeSeed()
	}
	h.values = append(h.values, maphash.String(h.seed, text))
}

// sort comes after the last add and before several.
func (h *hashes) sort() { slices.Sort(h.values) }

// several reports whether a text was added more than once. Of two texts with one hash, it may
// say so wrongly.
func (h *hashes) several(text string) bool {
	hash := maphash.String(h.seed, text)
	i, _ := slices.BinarySearch(h.values, hash)
	return i+1 < len(h.values) && h.values[i+1] == hash
}
