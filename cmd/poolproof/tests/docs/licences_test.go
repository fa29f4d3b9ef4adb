package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

// A linked is a module that the binary links, with its licence files.
type linked struct {
	module, version string
	files           []string // absolute
	root            string
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// licencesIn are the licence files of a directory.
func licencesIn(t *testing.T, dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() && licenceFile.MatchString(e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// linkedModules asks go list for what the binary links on all platforms, in the order of
// paths. Of a module count the licence files at its top, and those above each package
// that is linked.
func linkedModules(t *testing.T) []linked {
	t.Helper()
	modules := map[string]*linked{}
	seen := map[string]bool{}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64"} {
		system, arch, _ := strings.Cut(platform, "/")
		c := exec.Command("go", "list", "-deps", "-json=Dir,Module", "poolproof/cmd/poolproof")
		c.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=1")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := modules[p.Module.Path]
			if m == nil {
				m = &linked{module: p.Module.Path, version: p.Module.Version, root: p.Module.Dir}
				modules[m.module] = m
			}
			for dir := p.Dir; len(dir) >= len(m.root) && !seen[dir]; dir = filepath.Dir(dir) {
				seen[dir] = true
				m.files = append(m.files, licencesIn(t, dir)...)
			}
		}
	}
	var all []linked
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		slices.Sort(modules[path].files)
		all = append(all, *modules[path])
	}
	return all
}

// TestThirdPartyLicences makes THIRD_PARTY_LICENSES from the modules that are linked and
// compares it with the file; -update writes it. A module without a licence is an error.
func TestThirdPartyLicences(t *testing.T) {
	path := commandtest.InProject("THIRD_PARTY_LICENSES")
	var b strings.Builder
	section := func(title string, file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n%[1]s\n%[2]s\n%[1]s\n\n%[3]s\n", strings.Repeat("=", 90), title, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	b.WriteString("Licences of what is linked into poolproof. Made by make licences from the modules of\ngo.mod; a test compares.\n")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	section("The Go standard library", filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	modules := linkedModules(t)
	if len(modules) < 5 {
		t.Fatalf("only %d modules are linked", len(modules))
	}
	for _, m := range modules {
		if len(m.files) == 0 {
			t.Errorf("%s %s has no licence", m.module, m.version)
		}
		for _, file := range m.files {
			inside, err := filepath.Rel(m.root, file)
			if err != nil {
				t.Fatal(err)
			}
			section(fmt.Sprintf("%s %s: %s", m.module, m.version, filepath.ToSlash(inside)), file)
		}
		if m.module == "github.com/marcboeker/go-duckdb" {
			if m.version != "v1.8.2" {
				t.Errorf("%s is %s: read again what packaging/duckdb-licences.txt says of v1.8.2", m.module, m.version)
			}
			section("DuckDB, within "+m.module, commandtest.InProject("cmd/poolproof/packaging/duckdb-licences.txt"))
		}
	}
	// What the page of the report embeds brings its licence along.
	embedded, err := filepath.Glob(commandtest.InProject("audit/report/page/*/LICENSE"))
	if err != nil || len(embedded) == 0 {
		t.Fatalf("the page embeds nothing: %v", err)
	}
	for _, file := range embedded {
		section(filepath.Base(filepath.Dir(file))+", within report.html", file)
	}
	if *commandtest.Update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	is, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(is) != b.String() {
		t.Error("THIRD_PARTY_LICENSES is stale: make licences")
	}
}
