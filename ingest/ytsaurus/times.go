package ytsaurus

import (
	"time"

	"poolproof/core"
)

// Times outside these are damage: the scheduler was first written after the
// one, 1970 and 1601 are what clocks say that were never set, and 2106 is where 32
// bits of seconds end (ingest/trace/FORMAT.md §4.2).
var (
	earliest = core.Time(time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	latest   = core.Time(time.Date(2106, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
)

func formatTime(t core.Time) string { return string(appendTime(nil, t)) }

// appendTime appends a time in the form of the log. One beyond the years of four
// digits is no time there.
func appendTime(b []byte, t core.Time) []byte {
	return time.UnixMicro(int64(t)).UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
}

// time reads a time: ISO 8601 text in UTC, or a number of microseconds since
// 1970.
func (c cursor) time() (core.Time, bool) {
	var t core.Time
	switch c.kind() {
	case text:
		var ok bool
		if t, ok = parseTime(c.bytes()); !ok {
			return 0, false
		}
	case integer:
		t = core.Time(c.value().num)
	default:
		return 0, false
	}
	return t, t >= earliest && t < latest
}

// isEpoch reports whether a value is the first moment of 1970, which stands for no time.
func (c cursor) isEpoch() bool {
	switch c.kind() {
	case text:
		t, ok := parseTime(c.bytes())
		return ok && t == 0
	case integer:
		return c.value().num == 0
	}
	return false
}

// parseTime reads 2019-11-28T13:00:00.004562Z. Copies may have shortened the
// fraction, or have another offset than Z.
func parseTime(b []byte) (core.Time, bool) {
	if len(b) < len("2006-01-02T15:04:05Z") || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	year, a := digits(b[0:4])
	month, c := digits(b[5:7])
	day, d := digits(b[8:10])
	hour, e := digits(b[11:13])
	minute, f := digits(b[14:16])
	second, g := digits(b[17:19])
	if !(a && c && d && e && f && g) || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	at := 19
	micros, unit := int64(0), int64(100_000)
	if b[at] == '.' || b[at] == ',' {
		for at++; at < len(b) && '0' <= b[at] && b[at] <= '9'; at++ {
			micros += int64(b[at]-'0') * unit
			unit /= 10
		}
	}
	days := daysSinceEpoch(year, month, day)
	t := ((days*24+hour)*60+minute)*60 + second
	switch zone := string(b[at:]); {
	case zone == "Z", zone == "+00:00":
	default:
		offset, err := time.Parse("-07:00", zone)
		if err != nil {
			return 0, false
		}
		_, shift := offset.Zone()
		t -= int64(shift)
	}
	return core.Time(t*int64(core.Second) + micros), true
}

func digits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// daysSinceEpoch counts the days of the Gregorian calendar since 1970-01-01.
// A day that a month does not have counts on into the next one.
func daysSinceEpoch(year, month, day int64) int64 {
	// Years begin in March here, so that a leap day is the last of its year.
	if month < 3 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719_468
}
