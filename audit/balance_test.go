package audit

import (
	"errors"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// debt is a row of a deficit of 10 that lasts a second.
func debt(owed int64) tables.ShareDebt {
	return tables.ShareDebt{Element: tables.ElementPool, FromTime: 0, ToTime: core.Second, Lacking: 1e6, Deficit: 10, Owed: owed}
}

func TestLedgerMustBalance(t *testing.T) {
	t.Parallel()
	long, negative := debt(10), debt(10)
	long.Lacking++
	negative.Vector[2] = -1
	for name, test := range map[string]struct {
		rows []tables.ShareDebt
		want error
	}{
		"balanced":   {[]tables.ShareDebt{debt(4), debt(6)}, nil},
		"too little": {[]tables.ShareDebt{debt(4), debt(5)}, errUnbalanced},
		"too much":   {[]tables.ShareDebt{debt(11)}, errUnbalanced},
		"negative":   {[]tables.ShareDebt{negative}, errUnbalanced},
		"too long":   {[]tables.ShareDebt{long}, errUnbalanced},
	} {
		r := newTestRun(t)
		put(r, "a", test.rows...)
		if _, err := loadRun(t, r); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
