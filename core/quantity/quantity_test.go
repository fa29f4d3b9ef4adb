package quantity_test

import (
	"testing"

	"poolproof/core/quantity"
)

func TestWritten(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{quantity.Number(6, 2), "6"},
		{quantity.Number(2.5, 2), "2.5"},
		{quantity.Number(100, 2), "100"},
		{quantity.Number(0, 2), "0"},
		{quantity.Number(-0.001, 2), "0"},
		{quantity.Number(999, 0), "999"},
		{quantity.Number(1234567.25, 2), "1,234,567.25"},
		{quantity.Number(-1234, 0), "-1,234"},
		{quantity.Of(1, "jobs"), "1 job"},
		{quantity.Of(17898, "jobs"), "17,898 jobs"},
		{quantity.Of(12345, "operations"), "12,345 operations"},
		{quantity.Of(6290.38, "share·s"), "6,290 share·s"},
		{quantity.Of(1.5, "share·s"), "1.5 share·s"},
		{quantity.Of(1, "share·s"), "1 share·s"},
		{quantity.Of(0.0004, "share·s"), "0.0004 share·s"},
		{quantity.Of(648, "s"), "10 min 48 s"},
		{quantity.Of(0.25, "share"), "25 %"},
		{quantity.Amount("cpu", 160), "160 cores"},
		{quantity.Amount("cpu", 1), "1 core"},
		{quantity.Amount("cpu", 0.01), "0.01 cores"},
		{quantity.Amount("memory", 3<<29), "1.5 GiB of memory"},
		{quantity.Amount("gpu", 1), "1 GPU"},
		{quantity.Amount("user_slots", 2), "2 user slots"},
		{quantity.Amount("network", 40), "40 units of network"},
		{quantity.Share(0.125), "12.5 %"},
		{quantity.Ratio(0.8), "0.8"},
		{quantity.Seconds(130), "130 s"},
		{quantity.Seconds(0.25), "0.25 s"},
		{quantity.Span(0.25), "0.25 s"},
		{quantity.Span(59.9), "59 s"},
		{quantity.Span(648), "10 min 48 s"},
		{quantity.Span(3600), "1 h 00 min"},
		{quantity.Span(3600*26 + 300), "26 h 05 min"},
		{quantity.Ordinal(1), "1st"},
		{quantity.Ordinal(2), "2nd"},
		{quantity.Ordinal(3), "3rd"},
		{quantity.Ordinal(5), "5th"},
		{quantity.Ordinal(11), "11th"},
		{quantity.Ordinal(112), "112th"},
		{quantity.Ordinal(121), "121st"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
