package audit

import (
	"strings"
	"testing"
	"time"
)

func drawn(t *testing.T, begin func(columns []string) rowWriter, rows ...[]any) error {
	t.Helper()
	w := begin([]string{"what", "n"})
	for _, r := range rows {
		if err := w.row(r); err != nil {
			return err
		}
	}
	return w.end()
}

func TestBars(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	bars := func(columns []string) rowWriter { return newBarWriter(&b, columns) }
	if err := drawn(t, bars, []any{"ä", int64(60)}, []any{"prod", 7.5}, []any{nil, -2.0}, []any{"none", nil}, []any{"0", int32(0)}); err != nil {
		t.Fatal(err)
	}
	want := "what  n\nä     " + strings.Repeat("█", 60) + " 60\nprod  " + strings.Repeat("█", 7) + "▌ 7.5\n      ░░ -2\n0      0\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	for fault, row := range map[string][]any{"draws numbers": {"a", "b"}, "two columns": {"a", 1.0, 2.0}} {
		if err := drawn(t, bars, row); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%v: %v", row, err)
		}
	}
	b.Reset()
	if err := drawn(t, bars); err != nil || b.String() != "nothing to draw\n" {
		t.Errorf("%q %v", b.String(), err)
	}
	if err := newBarWriter(&b, []string{"one"}).end(); err == nil {
		t.Error("one column without rows is drawn")
	}
}

// TestLine: a rise over three quarters of the time, two rows at one moment, and a last one.
func TestLine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	at := func(s int) time.Time { return time.Unix(1_700_000_000+int64(s), 0).UTC() }
	line := func(columns []string) rowWriter { return newLineWriter(&b, columns) }
	if err := drawn(t, line, []any{at(0), 0.0}, []any{at(90), 14.0}, []any{at(90), 7.0}, []any{at(118), 7.0}); err != nil {
		t.Fatal(err)
	}
	want := `n by what
14 ┤                                             ┃•
   ┤                                             ┃ ••
   ┤                                             ┃   ••
   ┤                                             ┃     ••
   ┤                                             ┃       ••
   ┤                                             ┃         ••
   ┤                                             ┃           ••
   ┤                                          •••┃             •
   ┤                                    ••••••
   ┤                             •••••••
   ┤                       ••••••
   ┤                 ••••••
   ┤          •••••••
   ┤    ••••••
 0 ┤••••
   └────────────────────────────────────────────────────────────
    2023-11-14T22:13:20Z                    2023-11-14T22:15:18Z
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := drawn(t, line, []any{"a", 1.0}); err != nil || !strings.Contains(b.String(), "•") {
		t.Errorf("%q %v", b.String(), err)
	}
}
