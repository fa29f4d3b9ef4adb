package swf

import (
	"strconv"
	"strings"
)

// A header holds the comments of a log that the standard defines. The first value of a key counts.
type header struct {
	computer, installation string
	unixStartTime          int64 // 0 if not given
	maxNodes, maxProcs     int64 // 0 if not given
	queues, partitions     map[int64]string
}

// A badHeader is a header line whose value is not what its key asks for.
type badHeader struct{ key, value string }

// read takes a comment line, without its semicolon, into the header. Other comments are ignored.
func (h *header) read(comment string) *badHeader {
	key, value, ok := strings.Cut(comment, ":")
	if !ok {
		return nil
	}
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	switch strings.ToLower(key) {
	case "computer":
		first(&h.computer, value)
	case "installation":
		first(&h.installation, value)
	case "unixstarttime":
		bad := number(&h.unixStartTime, key, value)
		if bad == nil && h.unixStartTime > latestStart {
			h.unixStartTime, bad = 0, &badHeader{key, value}
		}
		return bad
	case "maxnodes":
		return number(&h.maxNodes, key, value)
	case "maxprocs":
		return number(&h.maxProcs, key, value)
	case "queue":
		return name(&h.queues, key, value)
	case "partition":
		return name(&h.partitions, key, value)
	}
	return nil
}

// latestStart is the year 2200: a later time is in milliseconds and not in seconds.
const latestStart = 7_258_118_400

func first(to *string, value string) {
	if *to == "" {
		*to = value
	}
}

// number reads a number that words may follow, such as the sizes of partitions
// in parentheses. The standard writes -1 for what is not known.
func number(to *int64, key, value string) *badHeader {
	digits, _, _ := strings.Cut(value, " ")
	digits, _, _ = strings.Cut(digits, "(")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n < -1 || n > maxNumber {
		return &badHeader{key, value}
	}
	if *to == 0 && n > 0 {
		*to = n
	}
	return nil
}

// name reads "<number> <name> <remarks>".
func name(to *map[int64]string, key, value string) *badHeader {
	words := strings.Fields(value)
	if len(words) == 0 {
		return &badHeader{key, value}
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(words[0], ":"), 10, 64)
	if err != nil || n < 0 || n > maxNumber {
		return &badHeader{key, value}
	}
	if len(words) == 1 {
		return nil // a queue without a name keeps its number
	}
	if *to == nil {
		*to = map[int64]string{}
	}
	if _, known := (*to)[n]; !known {
		(*to)[n] = strings.TrimRight(words[1], ",:;")
	}
	return nil
}

// nameOf returns the name of a queue or partition: that of the header, or what
// and the number.
func nameOf(names map[int64]string, what string, n int64) string {
	if n == missing {
		return what + "-unknown"
	}
	if name := names[n]; name != "" {
		return name
	}
	return what + "-" + strconv.FormatInt(n, 10)
}
