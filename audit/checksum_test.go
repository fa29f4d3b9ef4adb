package audit

import (
	"math"
	"strings"
	"testing"
)

// The checksums of loading rest on this.
func TestHashesAreThoseOfDuckDB(t *testing.T) {
	t.Parallel()
	db, err := database{}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	compare := func(query string, value any, want uint64) {
		t.Helper()
		var got uint64
		if err := db.QueryRow("SELECT hash("+query+")", value).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("hash(%s) of %v is %x in DuckDB and %x here", query, value, got, want)
		}
	}
	for n := range 40 {
		s := strings.Repeat("ünïcödé <Root>\x01 job-17", 2)[:n]
		if strings.ToValidUTF8(s, "") == s {
			compare("?::VARCHAR", s, hashText(s))
		}
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1.5, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, 0.1} {
		compare("?::DOUBLE", f, hashDouble(f))
	}
	for _, v := range []int64{0, 1, -5, math.MaxInt64, math.MinInt64, 1 << 40} {
		compare("?::BIGINT", v, hashInteger(uint64(v)))
		compare("make_timestamp(?::BIGINT)", v%(1<<50), hashInteger(uint64(v%(1<<50))))
	}
	for _, v := range []int32{0, 7, -5, math.MinInt32} {
		compare("?::INTEGER", v, hashInteger(uint64(uint32(v))))
	}
	compare("?::BOOLEAN", true, hashInteger(1))
	compare("?::BOOLEAN", false, hashInteger(0))
}
