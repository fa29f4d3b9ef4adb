package foreign

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// TestTheExamplesOfImport runs every example of the help as it is written, beside small
// files of the names that it uses.
func TestTheExamplesOfImport(t *testing.T) {
	_, help, ok := strings.Cut(commandtest.Succeed(t, "import", "--help"), "Examples:\n")
	if !ok {
		t.Fatal("the help has no examples")
	}
	help, _, _ = strings.Cut(help, "\nusage:")
	files := map[string]string{
		"openb/openb_node_list_all_node.csv": "sn,cpu_milli,memory_mib,gpu,model\nn1,96000,1024,8,G2\n",
		"openb/openb_pod_list_default.csv":   "name,cpu_milli,memory_mib,num_gpu,gpu_milli,qos,pod_phase,creation_time,deletion_time,scheduled_time\na,6000,10,1,460,LS,Succeeded,10,50,12\n",
		"google/job_events.csv":              "time_us,job_id,event_type,user,scheduling_class\n100,1,0,ann,0\n110,1,1,ann,0\n",
	}
	for name, from := range map[string]string{
		"log.swf": commandtest.DemoFile("cluster.swf"), "pools.yaml": commandtest.DemoFile("pools.yaml"),
		"event_log/1.jsonl.gz": commandtest.InProject("ingest/ytsaurus/testdata/samples/2023.jsonl.gz"),
		"pool_trees.json":      commandtest.InProject("ingest/ytsaurus/testdata/samples/pool_trees.2023.json"),
		"old.json":             commandtest.InProject("ingest/ytsaurus/testdata/samples/pool_trees.2023.json"),
		"new.json":             commandtest.InProject("ingest/ytsaurus/testdata/samples/pool_trees.2023.json"),
	} {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	rows := linesOfRows(eventRows(t, commandtest.InProject("ingest/ytsaurus/testdata/samples/2023.jsonl.gz")))
	operations, jobs, err := eventlogtest.Archive(rows, false)
	if err != nil {
		t.Fatal(err)
	}
	dump, err := oneDump(rows)
	if err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][][]byte{"operations.jsonl": operations, "jobs.jsonl": jobs, "orchid.json": dump} {
		files[name] = string(bytes.Join(lines, []byte("\n")))
	}
	for line := range strings.Lines(help) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "poolproof" || words[1] != "import" {
			t.Fatalf("%q is no example", line)
		}
		dir := t.TempDir()
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command("poolproof", words[1:]...)
		c.Dir = dir
		if code, stderr, _ := commandtest.Process(t, c); code != exit.Kept {
			t.Errorf("%sexit code %d: %s", line, code, stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "trace", "manifest.json")); err != nil {
			t.Errorf("%s%v", line, err)
		}
	}
}
