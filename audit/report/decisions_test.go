package report

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/audit"
)

// TestAlikeDecisions: decisions that differ in nodes alone are told once, with their number.
func TestAlikeDecisions(t *testing.T) {
	var all []audit.Decision
	for i := range 6 {
		all = append(all, audit.Decision{Kind: "gets a job", Operation: "op-a", Pool: "prod", Node: fmt.Sprint("n", i), Detail: "1 core"},
			audit.Decision{Kind: "runs", Operation: fmt.Sprint("op-", i), Pool: "prod"})
	}
	all = append(all,
		audit.Decision{Kind: "gets a job", Operation: "op-a", Pool: "prod", Node: "n0", Detail: "2 cores"},
		audit.Decision{Kind: "loses a job", Operation: "op-b", Node: "n2", Since: "08:01", Detail: "for operation op-a"},
		audit.Decision{Kind: "loses a job", Operation: "op-b", Node: "n1", Since: "08:00", Detail: "for operation op-a"},
		audit.Decision{Kind: "loses a job", Operation: "op-b", Node: "n1", Since: "08:00", Detail: "for nobody"},
		audit.Decision{Kind: "is refused", Operation: "op-c"})
	var got []string
	for _, alike := range alikeDecisions(all) {
		got = append(got, decisionsText(alike))
	}
	want := `operation op-a of pool prod gets 6 jobs on n0, n1, n2 and 3 more: 1 core each
6 operations of pool prod run: op-0, op-1, op-2 and 3 more
operation op-a of pool prod gets a job on n0: 2 cores
operation op-b loses 2 jobs on n1 and n2: which had started from 08:00 to 08:01, for operation op-a
operation op-b loses a job on n1: which had started at 08:00, for nobody
operation op-c is refused`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
