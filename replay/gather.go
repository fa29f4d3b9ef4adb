package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// Gather puts runs of some trees of one trace each, which between them replayed every tree
// once, together in dir. Tables and manifest are those of one replay of all trees, byte for
// byte. Runs that do not belong together are bad input.
func Gather(ctx context.Context, dir string, parts []string) (*Manifest, error) {
	manifests := make([]*Manifest, len(parts))
	for i, part := range parts {
		var err error
		if manifests[i], err = ReadManifest(part); err != nil {
			return nil, err
		}
	}
	whole, err := unite(parts, manifests)
	if err != nil {
		return nil, err
	}
	var problems [][]tables.Problem
	written := map[string]tables.File{}
	for i, part := range parts {
		for _, file := range manifests[i].Tables {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			switch other, twice := written[file.Path]; {
			case file.Path == problemsFile:
				rows, err := readProblems(part, file)
				if err != nil {
					return nil, err
				}
				problems = append(problems, rows)
			case twice && other != file:
				return nil, input.Errorf("%s and %s differ in %s, which is of no tree: they are not of one trace and program; replay both again", parts[0], part, file.Path)
			case !twice:
				if err := copyTable(dir, part, file); err != nil {
					return nil, err
				}
				written[file.Path] = file
			}
		}
	}
	dictionaries := tables.NewDictionaries(&core.Dimensions{}) // problems name nothing by id
	defer dictionaries.Release()
	file, err := env.WriteTable(filepath.Join(dir, tables.Directory), "", dictionaries, uniteProblems(problems))
	if err != nil {
		return nil, err
	}
	written[file.Path] = file
	whole.Tables = slices.SortedFunc(maps.Values(written), func(a, b tables.File) int { return cmp.Compare(a.Path, b.Path) })
	whole.ResultDigest = tables.ResultDigest(whole.Tables)
	return whole, whole.Write(dir)
}

// Files of no tree: the rows of the trace that could not be used, and the settings above all
// trees.
var (
	problemsFile = path.Join(tables.Directory, tables.FileName("problems", ""))
	treeSetsFile = path.Join(tables.Directory, tables.FileName("tree_sets", ""))
)

// unite returns the manifest of all parts, without its tables.
func unite(parts []string, manifests []*Manifest) (*Manifest, error) {
	whole := *manifests[0]
	whole.Trees, whole.Events = nil, 0
	sources := map[string]map[string]int64{}
	from := map[string]string{} // the part of a tree
	for i, m := range manifests {
		if m.TraceTrees == nil {
			return nil, input.Errorf("%s is not a part of a run: poolproof what-if or another version made it; replay the trees of the trace with poolproof replay TRACE --tree TREE", parts[i])
		}
		if what := differs(manifests[0], m); what != "" {
			return nil, input.Errorf("%s and %s are not parts of one run: they differ in %s; replay all trees of one trace with one program and the same options", parts[0], parts[i], what)
		}
		if !slices.Equal(pathsOf(m.Tables), m.paths()) || m.ResultDigest != tables.ResultDigest(m.Tables) {
			return nil, input.Errorf("%s is not what a replay wrote: its manifest lists other tables; replay that part again", parts[i])
		}
		for _, tree := range m.Trees {
			if other, twice := from[tree]; twice {
				return nil, input.Errorf("%s and %s both hold tree %s: give one of them", other, parts[i], spelling.OneName(tree))
			}
			from[tree] = parts[i]
		}
		whole.Events += m.Events
		addProblems(sources, m.ProblemSources)
		if i > 0 {
			whole.LostRows = append(slices.Clip(whole.LostRows), m.LostRows...)
		}
	}
	var missing []string
	for _, tree := range whole.TraceTrees {
		if from[tree] == "" {
			missing = append(missing, tree)
			continue
		}
		whole.Trees = append(whole.Trees, tree)
	}
	if len(missing) > 0 {
		return nil, input.Errorf("the trace has trees that no part holds: replay them with %s and the options of the others, and give that part, too", treeFlags(missing))
	}
	whole.SetProblems(sources)
	return &whole, nil
}

// treeFlags are the flags that choose trees, for copying into a shell.
func treeFlags(trees []string) string {
	var flags []string
	for _, tree := range trees {
		flags = append(flags, "--tree "+spelling.Word(spelling.OneListed(tree)))
	}
	return strings.Join(flags, " ")
}

// paths are the files of a replay of these trees: all tables of each, and two of no tree.
func (m *Manifest) paths() []string {
	all := []string{problemsFile, treeSetsFile}
	for _, t := range tables.All() {
		for _, tree := range m.Trees {
			all = append(all, path.Join(tables.Directory, tables.FileName(t.Name, tree)))
		}
	}
	slices.Sort(all)
	return all
}

func pathsOf(files []tables.File) (all []string) {
	for _, f := range files {
		all = append(all, f.Path)
	}
	slices.Sort(all)
	return all
}

// differs names what two manifests of one replay have in common and these have not; "" if
// they are of one.
func differs(a, b *Manifest) string {
	for _, c := range []struct {
		what string
		same bool
	}{
		{"the program: " + a.Tool + " and " + b.Tool, a.Tool == b.Tool},
		{"the cluster: " + a.Cluster + " and " + b.Cluster, a.Cluster == b.Cluster},
		{"--profile: " + a.Profile + " and " + b.Profile, a.Profile == b.Profile},
		{"the window: " + a.From + " to " + a.To + ", and " + b.From + " to " + b.To, a.From == b.From && a.To == b.To},
		{fmt.Sprintf("--resolution: %v and %v", a.Resolution, b.Resolution), a.Resolution == b.Resolution},
		{"the slacks of the policy", maps.Equal(a.PolicySlacks, b.PolicySlacks) && maps.Equal(a.Slacks, b.Slacks)},
		{"the files of the trace", maps.Equal(a.Inputs, b.Inputs)},
		{"the trees of the trace", slices.Equal(a.TraceTrees, b.TraceTrees)},
		{"the coverage of the trace", maps.Equal(a.Coverage, b.Coverage)},
	} {
		if !c.same {
			return c.what
		}
	}
	return ""
}

// addProblems adds what another part counted, by source and code. The files of a tree are
// read with that tree alone, the others with every part, which all count the same of them.
func addProblems(to, part map[string]map[string]int64) {
	for source, codes := range part {
		if to[source] == nil {
			to[source] = map[string]int64{}
		}
		for code, n := range codes {
			to[source][code] = max(n, to[source][code])
		}
	}
}

// uniteProblems returns the problems of a replay of all trees: each as often as in the part
// that has it most often, for the reason that addProblems has.
func uniteProblems(parts [][]tables.Problem) []tables.Problem {
	most := map[tables.Problem]int{}
	for _, rows := range parts {
		times := map[tables.Problem]int{}
		for _, row := range rows {
			times[row]++
			most[row] = max(most[row], times[row])
		}
	}
	var all []tables.Problem
	for row, n := range most {
		all = append(all, slices.Repeat([]tables.Problem{row}, n)...)
	}
	slices.SortFunc(all, func(a, b tables.Problem) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Row, b.Row),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Value, b.Value))
	})
	return all
}

// readProblems reads the problems of a part.
func readProblems(part string, file tables.File) ([]tables.Problem, error) {
	name := filepath.Join(part, filepath.FromSlash(file.Path))
	digest, err := tables.DigestOf(name)
	if err := checkTable(name, file, digest, err); err != nil {
		return nil, err
	}
	return tables.ReadProblems(name)
}

// copyTable copies a table of a part, which has to be what its replay wrote.
func copyTable(dir, part string, file tables.File) error {
	name := filepath.Join(part, filepath.FromSlash(file.Path))
	digest, err := copyDigested(filepath.Join(dir, filepath.FromSlash(file.Path)), name)
	return checkTable(name, file, digest, err)
}

// checkTable refuses a table that is missing or another than its manifest says.
func checkTable(name string, file tables.File, digest string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return input.Errorf("%s is missing, though the manifest lists it: replay that part again", name)
	case err != nil:
		return fmt.Errorf("gather tables: %w", err)
	case digest != file.SHA256:
		return input.Errorf("%s is not what the replay wrote: its digest differs from the manifest's; replay that part again", name)
	}
	return nil
}

// copyDigested copies a file and returns its SHA-256.
func copyDigested(to, from string) (string, error) {
	in, err := input.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), in)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, out.Close())
}
