package eventlogtest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// guid returns an id in the cluster's form, four hex words without leading zeros
// (ingest/trace/FORMAT.md §1.2), that follows from the words given.
func guid(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	part := func(i int) uint32 { return binary.BigEndian.Uint32(sum[4*i:]) | 1 }
	return fmt.Sprintf("%x-%x-%x-%x", part(0), part(1), part(2), part(3))
}

// noGUID stands for a GUID that there is not.
const noGUID = "0-0-0-0"

func isGUID(s string) bool {
	words := strings.Split(s, "-")
	if len(words) != 4 {
		return false
	}
	for _, w := range words {
		if len(w) == 0 || len(w) > 8 || strings.Trim(w, hexDigits) != "" {
			return false
		}
	}
	return true
}

// asGUID returns an id of a trace as the log has it, and remembers in changed those
// that had to change.
func asGUID(kind, id string, changed map[string]string) string {
	if isGUID(id) {
		return id
	}
	known, ok := changed[id]
	if !ok {
		known = guid(kind, id)
		changed[id] = known
	}
	return known
}

// asAddress returns a node's address with a port.
func asAddress(node string, changed map[string]string) string {
	if strings.Contains(node, ":") {
		return node
	}
	address := node + ":9012"
	changed[node] = address
	return address
}
