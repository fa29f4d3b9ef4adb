package audit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPartsAreTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "'", `"`, "--", "/*", "*/", "\n", "$", "$x", ";", " ", "ä", "\xff", "$$"})).Draw(t, "text"), "")
		if got := textOf(sqlParts(text)); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestParamsAreFilled(t *testing.T) {
	t.Parallel()
	values := map[string]string{"pool": "o'brien"}
	for query, want := range map[string]string{
		"SELECT $pool":                         "SELECT 'o''brien'",
		"SELECT '$pool', $pool -- $pool":       "SELECT '$pool', 'o''brien' -- $pool",
		`SELECT "a""$pool", $$ $pool $$,$pool`: `SELECT "a""$pool", $$ $pool $$,'o''brien'`,
		"SELECT $q$ $pool $q$, $pool/*$pool*/": "SELECT $q$ $pool $q$, 'o''brien'/*$pool*/",
	} {
		if got, err := FillParams(query, values); err != nil || got != want {
			t.Errorf("%s: %s, %v", query, got, err)
		}
	}
	if _, err := FillParams("SELECT $pol", values); err == nil || !strings.Contains(err.Error(), "--param pol=VALUE") {
		t.Error(err)
	}
	if _, err := FillParams("SELECT $pool", map[string]string{"pool": "a", "pol": "b"}); err == nil || !strings.Contains(err.Error(), "no parameter $pol; did you mean \"pool\"?") {
		t.Error(err)
	}
}

func TestStatementsEnd(t *testing.T) {
	t.Parallel()
	for text, ends := range map[string]bool{
		"SELECT 1;": true, "SELECT 1; -- done": true, "SELECT 1;\n\n": true, "SELECT 1; /* done */": true, "SELECT 'it''s';": true, "SELECT $$;$$;": true,
		"SELECT 1": false, "SELECT ';": false, "SELECT ';'": false, "SELECT 1 -- ;": false, "SELECT 1; /* ": false, "SELECT 1; SELECT 2": false, "": false, "SELECT $q$;": false,
	} {
		if got := EndsStatement(text); got != ends {
			t.Errorf("%q ends: %v", text, got)
		}
	}
}
