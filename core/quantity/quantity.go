// Package quantity writes numbers with their units, for all sentences that a person reads.
//
//	quantity.Amount("cpu", 6)   // 6 cores
//	quantity.Span(648)          // 10 min 48 s
//	quantity.Share(0.125)       // 12.5 %
//
// The macros of queries/views/macros.sql write the same: SQL makes most sentences of
// findings, and a run's database is read by clients that have no function of ours. A test
// of audit holds the two together.
package quantity

import (
	"math"
	"strconv"
	"strings"
)

// Number is x with at most so many decimals, without zeros at the end, and with thousands apart:
// 6, 2.25, 17,898.
func Number(x float64, decimals int) string {
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	whole, part, _ := strings.Cut(text, ".")
	sign := len(whole) - len(strings.TrimPrefix(whole, "-"))
	for i := len(whole) - 3; i > sign; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part = strings.TrimRight(part, "0"); part != "" {
		return whole + "." + part
	}
	if whole == "-0" {
		return "0"
	}
	return whole
}

// Of is an amount of a unit in the plural: 6 cores, 1 operation, 17,898 jobs, 2.5 GiB, 10 min 48 s.
func Of(x float64, unit string) string {
	switch unit {
	case "bytes":
		return Number(x/(1<<30), 2) + " GiB"
	case "s":
		return Span(x)
	case "share", "shares": // of the whole tree
		return Share(x)
	}
	text := Number(x, 2)
	switch {
	case math.Abs(x) >= 1000: // its decimals do not matter
		text = Number(x, 0)
	case text == "0" && x != 0: // too little for two
		text = strconv.FormatFloat(x, 'g', 2, 64)
	}
	if text == "1" && len(unit) > 1 && !strings.Contains(unit, "·") {
		unit = strings.TrimSuffix(unit, "s")
	}
	return text + " " + unit
}

// Amount is an amount of a resource by its name in the tables: cores, bytes, devices,
// slots.
func Amount(resource string, x float64) string {
	switch resource {
	case "cpu":
		return Of(x, "cores")
	case "memory":
		return Of(x, "bytes") + " of memory"
	case "gpu":
		return Of(x, "GPUs")
	case "user_slots":
		return Of(x, "user slots")
	}
	return Of(x, "units") + " of " + resource
}

// Share is a part of a whole: 12.5 %.
func Share(x float64) string { return Number(100*x, 2) + " %" }

// Ratio is a quotient of two alike, to four decimals: 0.8.
func Ratio(x float64) string { return Number(x, 4) }

// Seconds is a duration in seconds, to the millisecond, for sentences that compare two:
// 130 s, 0.25 s.
func Seconds(s float64) string { return Number(s, 3) + " s" }

// Span is a duration as people say it, cut to its second unit: 0.25 s, 45 s, 7 min 30 s,
// 3 h 05 min.
func Span(seconds float64) string {
	whole := int64(math.Floor(seconds))
	switch {
	case seconds < 1:
		return Seconds(seconds)
	case whole < 60:
		return strconv.FormatInt(whole, 10) + " s"
	case whole < 3600:
		return pair(whole, "min", "s")
	}
	return pair(whole/60, "h", "min")
}

// pair is a number of small units, 60 to a big one.
func pair(n int64, big, small string) string {
	left := strconv.FormatInt(n%60, 10)
	if len(left) == 1 {
		left = "0" + left
	}
	return Number(float64(n/60), 0) + " " + big + " " + left + " " + small
}

// Ordinal is a place in an order, the first being 1: 1st, 2nd, 3rd, 5th, 11th.
func Ordinal(n int64) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.FormatInt(n, 10) + suffix
}
