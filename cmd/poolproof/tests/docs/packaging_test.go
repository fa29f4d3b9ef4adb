package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// commandsOf returns the lines in the code blocks of a page that hold a word.
func commandsOf(t *testing.T, page, word string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(commandtest.InProject(page))
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split("\n"+string(text), "\n```") {
		for _, line := range strings.Split(block, "\n")[1:] {
			if i%2 == 1 && strings.Contains(line, word) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no line with %s", page, word)
	}
	return lines
}

// fakeGo stands in for Go where the archive is packed: what it builds is the stub of a program.
const fakeGo = `#!/bin/sh
[ "$1" = env ] && { echo linux; exit; }
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\n[ "$1" = run ] && exit 65\necho "$*"\n' > "$2" && chmod +x "$2"
`

// installed is a folder into which the lines of audit/NIGHTLY.md installed the archive of make dist.
func installed(t *testing.T) (root string) {
	t.Helper()
	for _, tool := range []string{"git", "tar", "gzip", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "fake/go"), fakeGo)
	root = filepath.Join(dir, "usr/local")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("cmd/poolproof/packaging/dist.sh", filepath.Join(dir, "out/dist"))
	c.Dir = commandtest.InProject(".")
	c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "fake")+":"+os.Getenv("PATH"), "COMMIT=0123", "DATE=2025-03-03T08:00:00Z")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("dist.sh: %v %s", err, out)
	}
	line := commandsOf(t, "audit/NIGHTLY.md", "tar -xzf")[0]
	line = strings.NewReplacer("sudo ", "", " /usr/local ", " "+root+" ").Replace(line)
	c = exec.Command("sh", "-c", line)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", line, err, out)
	}
	return root
}

// TestTheArchiveInstalls: the archive has the program, what belongs to it and the page with its
// alerts, where systemd, cron and the shells look below /usr/local.
func TestTheArchiveInstalls(t *testing.T) {
	t.Parallel()
	root := installed(t)
	for _, file := range []string{"bin/poolproof", "bin/poolproof-nightly", "lib/systemd/system/poolproof.service", "lib/systemd/system/poolproof.timer",
		"share/doc/poolproof/NIGHTLY.md", "share/doc/poolproof/ALERTS.md", "share/man/man1/poolproof.1", "share/bash-completion/completions/poolproof"} {
		info, err := os.Stat(filepath.Join(root, file))
		if err != nil {
			t.Error(err)
		} else if executable := info.Mode()&0o111 == 0o111; executable != strings.HasPrefix(file, "bin/") {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
}

// TestTheCronLines: five fields, a user and a command, as files in /etc/cron.d have. The command
// works in the little environment that cron gives.
func TestTheCronLines(t *testing.T) {
	t.Parallel()
	root := installed(t)
	job := regexp.MustCompile(`^(\S+) +(\S+) +(\S+) +(\S+) +(\S+) +([a-z]+) +([^%]+)$`)
	for page, path := range map[string]string{"audit/NIGHTLY.md": "/usr/bin:/bin", "ingest/ytsaurus/README.md": ""} {
		if path == "" {
			path = strings.TrimPrefix(commandsOf(t, page, "PATH=")[0], "PATH=")
		}
		line := commandsOf(t, page, " poolproof  ")[0]
		m := job.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: not a line of cron: %q", page, line)
		}
		for i, most := range []int{59, 23, 31, 12, 7} {
			if n, err := strconv.Atoi(m[i+1]); m[i+1] != "*" && (err != nil || n > most) {
				t.Errorf("%s: field %d of %q", page, i+1, line)
			}
		}
		if m[6] != "poolproof" {
			t.Errorf("%s: user %s", page, m[6])
		}
		if strings.Contains(m[7], "fetch") { // the export fails
			writeFile(t, filepath.Join(root, "bin/poolproof-fetch"), "#!/bin/sh\nexit 1\n")
		}
		home := t.TempDir()
		c := exec.Command("/bin/sh", "-c", strings.ReplaceAll(m[7], "/usr/local", root))
		c.Env = []string{"SHELL=/bin/sh", "HOME=/", "LOGNAME=poolproof", "PATH=" + strings.ReplaceAll(path, "/usr/local", root), "POOLPROOF_HOME=" + home}
		out, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != exit.BadInput || len(out) > 0 { // the stub's
			t.Errorf("%s: exit code %d, %s", page, c.ProcessState.ExitCode(), out)
		}
		text, err := os.ReadFile(filepath.Join(home, "metrics/poolproof.prom"))
		if err != nil || !strings.Contains(string(text), "poolproof_nightly_failed{cluster=\"\"} 1\n") {
			t.Errorf("%s: %v, metrics %s", page, err, text)
		}
	}
}

// TestTheUserAndItsFolder: the lines that make them, below another root.
func TestTheUserAndItsFolder(t *testing.T) {
	t.Parallel()
	lines := slices.Concat(commandsOf(t, "audit/NIGHTLY.md", "useradd"), commandsOf(t, "audit/NIGHTLY.md", "install -d"))
	if _, err := exec.LookPath("useradd"); err != nil || os.Getuid() != 0 {
		t.Skip("useradd takes root")
	}
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n")
	writeFile(t, filepath.Join(root, "etc/group"), "root:x:0:\n")
	for _, line := range lines {
		line = strings.NewReplacer("sudo useradd", "useradd --prefix "+root, "sudo ", "", "-o poolproof -g poolproof", "-o 0 -g 0",
			" /var/lib/poolproof/", " "+root+"/var/lib/poolproof/").Replace(line)
		line = strings.Replace(line, "-g 0 /var", "-g 0 "+root+"/var", 1)
		if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
	}
	users, err := os.ReadFile(filepath.Join(root, "etc/passwd"))
	if err != nil || !regexp.MustCompile(`(?m)^poolproof:.*:/var/lib/poolproof:/usr/sbin/nologin$`).Match(users) {
		t.Errorf("%v: %s", err, users)
	}
	groups, err := os.ReadFile(filepath.Join(root, "etc/group"))
	if err != nil || !strings.Contains(string(groups), "\npoolproof:") {
		t.Errorf("%v: %s", err, groups)
	}
	if info, err := os.Stat(filepath.Join(root, "var/lib/poolproof/traces")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder: %v %v", err, info)
	}
}

// TestTheUnits: systemd has nothing to say of them, and the timer is that of the cron job.
func TestTheUnits(t *testing.T) {
	t.Parallel()
	const nightly = "/usr/local/bin/poolproof-nightly"
	root := installed(t)
	service, err := os.ReadFile(filepath.Join(root, "lib/systemd/system/poolproof.service"))
	if err != nil || !strings.Contains(string(service), "\nExecStart="+nightly+"\n") || !strings.Contains(string(service), "\nStateDirectory=poolproof\n") {
		t.Fatalf("%v: %s", err, service)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip(err)
	}
	// It looks for the program, which is installed elsewhere.
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "poolproof.service"), strings.ReplaceAll(string(service), nightly, filepath.Join(root, "bin/poolproof-nightly")))
	timer, err := os.ReadFile(filepath.Join(root, "lib/systemd/system/poolproof.timer"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "poolproof.timer"), string(timer))
	out, err := exec.Command("systemd-analyze", "verify", "--man=no", filepath.Join(dir, "poolproof.timer"), filepath.Join(dir, "poolproof.service")).CombinedOutput()
	if err != nil || strings.Contains(string(out), "poolproof") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestTheCronJobOfKubernetes: it runs the job in its folder at the time of the timer.
func TestTheCronJobOfKubernetes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(commandtest.InProject("cmd/poolproof/packaging/cronjob.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var job struct {
		Spec struct {
			Schedule    string `yaml:"schedule"`
			TimeZone    string `yaml:"timeZone"`
			JobTemplate struct {
				Spec struct {
					ActiveDeadlineSeconds int `yaml:"activeDeadlineSeconds"`
					Template              struct {
						Spec struct {
							Containers []struct {
								Command      []string `yaml:"command"`
								VolumeMounts []struct {
									MountPath string `yaml:"mountPath"`
								} `yaml:"volumeMounts"`
							} `yaml:"containers"`
						} `yaml:"spec"`
					} `yaml:"template"`
				} `yaml:"spec"`
			} `yaml:"jobTemplate"`
		} `yaml:"spec"`
	}
	_, second, _ := strings.Cut(string(text), "\n---\n")
	if err := yaml.Unmarshal([]byte(second), &job); err != nil {
		t.Fatal(err)
	}
	c := job.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	if got := fmt.Sprint(job.Spec.Schedule, job.Spec.TimeZone, c.Command, c.VolumeMounts[0].MountPath); got != "15 3 * * *Etc/UTC[poolproof-nightly]/var/lib/poolproof" {
		t.Error(got)
	}
}

// TestPythonPackagesHaveHashes: every package that the project installs is one whose bytes are known.
func TestPythonPackagesHaveHashes(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "-C", commandtest.InProject("."), "ls-files", "*requirements*.txt").Output()
	if err != nil {
		t.Skipf("not a checkout: %v", err)
	}
	for _, file := range strings.Fields(string(out)) {
		text, err := os.ReadFile(commandtest.InProject(file))
		if err != nil {
			t.Fatal(err)
		}
		packages := 0
		for _, entry := range strings.Split(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
			if entry = strings.TrimSpace(entry); entry == "" || strings.HasPrefix(entry, "#") {
				continue
			}
			if packages++; !regexp.MustCompile(`^[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}$`).MatchString(entry) {
				t.Errorf("%s: %.80s has no hash", file, entry)
			}
		}
		if packages == 0 {
			t.Errorf("%s names no package", file)
		}
	}
	makefile, err := os.ReadFile(commandtest.InProject("Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(makefile), "\n") {
		if strings.Contains(line, "pip install") && !strings.Contains(line, "--require-hashes") {
			t.Errorf("Makefile: %s", line)
		}
	}
}
