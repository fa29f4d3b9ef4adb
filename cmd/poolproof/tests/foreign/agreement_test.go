package foreign

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/testcorpus"
)

// exportOf is the export of the pool trees of a sample of ../shared/data/ytsaurus-event-log.
func exportOf(t *testing.T, age string) string {
	return testcorpus.File(t, testcorpus.Data, "ytsaurus-event-log", "pool_trees."+age+".json")
}

// runSample imports such a sample with an export, and runs it.
func runSample(t *testing.T, age, export string) (run string, v *audit.Verdict) {
	t.Helper()
	log := testcorpus.File(t, testcorpus.Data, "ytsaurus-event-log", age+".jsonl.gz")
	run = filepath.Join(commandtest.Made(t, []string{"import ytsaurus " + log + " --pool-trees " + export + " --out trace --quiet", "run trace --out run --quiet"}), "run")
	v, err := audit.ReadVerdict(run)
	if err != nil {
		t.Fatal(err)
	}
	if v.ShareAgreement == nil || v.ShareAgreement.Records != 404 || v.ShareAgreement.Lacking != 0 {
		t.Fatalf("%s: %+v", age, v.ShareAgreement)
	}
	return run, v
}

// TestSharesOfSamplesAgree: what the clusters of the samples recorded is what their inputs
// give. In the log of 2020 nothing says whose weight a row changed, of six operations of
// one pool the shares are others in one snapshot for that.
func TestSharesOfSamplesAgree(t *testing.T) {
	for age, all := range map[string]bool{"2020": false, "2023": true, "2025": true} {
		run, v := runSample(t, age, exportOf(t, age))
		a := v.ShareAgreement
		switch {
		case all && a.Within(-15) != 1:
			t.Errorf("%s: %+v", age, a)
		case !all && (a.Within(-15) != 398./404 || a.Worst.Subject != "c4339441-10e596ec-c31223ff-760b230d"):
			t.Errorf("%s: %+v", age, a)
		case !all:
			const change = "the input that would explain it:\n    weight of operation c4339441-10e596ec-c31223ff-760b230d: recorded 0.5, in the replay 1\n"
			if got := explainedBy(t, run, "360496c5-4c4955ef-6d9e3ff-7beee858"); !strings.Contains(got, change) {
				t.Errorf("%s: %s", age, got)
			}
		}
	}
}

// TestAnotherExportIsNamed: with an export that is not what the scheduler went by, the input
// that differs is named.
func TestAnotherExportIsNamed(t *testing.T) {
	export, err := os.ReadFile(exportOf(t, "2023"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, subject, want string }{
		"a guarantee that is not there": {`"strong_guarantee_resources"`, `"forgotten"`, "carl",
			"the first that differs, from the root down: pool prod, recorded 0.3125 (cpu), recomputed 0.302083\n" +
				"  the inputs that would explain it, the likeliest first:\n    strong guarantee share (user_slots) of pool prod: recorded 0.5, in the replay 0\n"},
		"a limit that nobody set": {`"max_running_operation_count": 16`, `"resource_limits": {"cpu": 40.0}, "max_running_operation_count": 16`, "carl",
			"the first that differs, from the root down: pool research, recorded 1 (cpu), recomputed 0.3125\n" +
				"  the input that would explain it:\n    resource limits (cpu) of pool research: recorded 1, in the replay 0.3125\n"},
	} {
		changed := bytes.ReplaceAll(export, []byte(c.old), []byte(c.new))
		if bytes.Equal(changed, export) {
			t.Fatalf("%s: nothing to change in %s", name, export)
		}
		path := filepath.Join(t.TempDir(), "export.json")
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		run, v := runSample(t, "2023", path)
		if a := v.ShareAgreement; !a.Differs() {
			t.Errorf("%s: %+v", name, a)
		}
		if got := explainedBy(t, run, c.subject); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// explainedBy is what explain says of the recorded shares of a subject.
func explainedBy(t *testing.T, run, subject string) string {
	t.Helper()
	out, err := exec.Command("poolproof", "explain", run, subject).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(out), "\nRecorded beside recomputed fair shares")
	text, _, _ = strings.Cut(text, "\n\n")
	return text + "\n"
}
