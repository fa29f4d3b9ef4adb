package command

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/ingest/ytsaurus"
)

// ytsaurusFlags are those of the format ytsaurus.
type ytsaurusFlags struct {
	poolTrees, kind   []string
	cluster, memory   string
	profile, from, to string
}

func (y *ytsaurusFlags) addTo(f flagSet) {
	f.StringArrayVar(&y.poolTrees, "pool-trees", nil, "ytsaurus: `FILE[@TIME]` with the pool trees as exported at TIME, JSON or YSON\n(default: before the log); may be given several times")
	f.StringArrayVar(&y.kind, "kind", nil, "ytsaurus: what the sources are, or one of them, `[SOURCE=]WORD`: "+strings.Join(ytsaurus.Kinds[:7], ", ")+"\n(default: auto, by their content), or only their form: "+strings.Join(ytsaurus.Kinds[7:], ", ")+"; may be given several times")
	takes(f, "kind", ytsaurus.Kinds)
	f.StringVar(&y.cluster, "cluster", "", "ytsaurus: `NAME` of the cluster, for reports")
	f.StringVar(&y.profile, "profile", "", "ytsaurus: policy `PROFILE` of the cluster's age: documented, baseline, current or legacy\n(default: by the spellings of the log)")
	takes(f, "profile", core.ProfileNames())
	f.StringVar(&y.from, "from", "", "ytsaurus: the window begins at this `TIME`; rows before it are looked back to (default:\nthe first row)")
	f.StringVar(&y.to, "to", "", "google2011, ytsaurus: the window ends at this `TIME`; ytsaurus looks up after it how what ran\nin it ended (default: the last row)")
	f.StringVar(&y.memory, "memory", "", "ytsaurus: `SIZE` of memory that the process may take (default: three quarters of the machine's,\nor of its cgroup's); half of it is for sorting (by default at most 1GiB), and what does not\nfit goes to files beside TRACE")
}

// options returns the options that the flags set.
func (y *ytsaurusFlags) options(p *progress, sources []string) (*ytsaurus.Options, error) {
	if y.profile != "" {
		if _, err := core.ParseProfile(y.profile); err != nil {
			return nil, usagef("%v", err)
		}
	}
	o := &ytsaurus.Options{Cluster: y.cluster, Profile: y.profile, Progress: func(at ytsaurus.Progress) { p.showState("%s", importState(at)) }}
	if err := y.kinds(o); err != nil {
		return nil, err
	}
	var err error
	if y.from != "" {
		if o.From, err = parseTime("--from", y.from); err != nil {
			return nil, err
		}
	}
	if y.to != "" {
		if o.To, err = parseTime("--to", y.to); err != nil {
			return nil, err
		}
	}
	if o.From != 0 && o.To != 0 && o.From >= o.To {
		return nil, usagef("--from %s is not before --to %s", y.from, y.to)
	}
	if o.Memory, o.Pages, err = boundImport(y.memory); err != nil {
		return nil, err
	}
	for _, asked := range y.poolTrees {
		e := ytsaurus.Export{Path: asked}
		if at := strings.LastIndexByte(asked, '@'); at >= 0 {
			e.Path = asked[:at]
			if e.At, err = parseTime("--pool-trees", asked[at+1:]); err != nil {
				return nil, err
			}
		}
		o.Exports = append(o.Exports, e)
	}
	y.sources(o, sources)
	return o, nil
}

// kinds reads what --kind says, of all sources or of one.
func (y *ytsaurusFlags) kinds(o *ytsaurus.Options) error {
	for _, asked := range y.kind {
		path, kind := "", asked
		if at := strings.LastIndexByte(asked, '='); at >= 0 {
			path, kind = filepath.Clean(asked[:at]), asked[at+1:]
		}
		if err := oneOf("--kind", kind, ytsaurus.Kinds); err != nil {
			return err
		}
		if path == "" {
			o.Kind = kind
			continue
		}
		if o.KindOf == nil {
			o.KindOf = map[string]string{}
		}
		o.KindOf[path] = kind
	}
	return nil
}

// sources splits SOURCE@TIME, unless a file has that name or the part after @ is not a time.
func (y *ytsaurusFlags) sources(o *ytsaurus.Options, given []string) {
	for _, source := range given {
		at := strings.LastIndexByte(source, '@')
		_, missing := os.Stat(source)
		taken, err := parseTime("", source[at+1:])
		if at < 0 || missing == nil || err != nil {
			o.Sources = append(o.Sources, source)
			continue
		}
		if o.TakenAt == nil {
			o.TakenAt = map[string]core.Time{}
		}
		o.TakenAt[filepath.Clean(source[:at])] = taken
		o.Sources = append(o.Sources, source[:at])
	}
}

// importState says how far an import is.
func importState(at ytsaurus.Progress) string {
	switch {
	case at.Step != "":
		return fmt.Sprintf("%d rows read, %s", at.Rows, at.Step)
	case at.Of > 0:
		return fmt.Sprintf("%d rows read, %d of %d MiB", at.Rows, at.Bytes>>20, at.Of>>20)
	}
	return fmt.Sprintf("%d rows read, %d MiB", at.Rows, at.Bytes>>20)
}

var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3},
	{"T", 1 << 40}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}, {"", 1},
}

// parseSize reads an amount of memory such as 2GiB; K, M, G and T alone are KiB, MiB,
// GiB and TiB.
func parseSize(flag, text string) (int64, error) {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err == nil && n > 0 && n*unit.bytes < math.MaxInt64 {
			return int64(n * unit.bytes), nil
		}
	}
	return 0, usagef("invalid %s %q (want a size like 2GiB or 500MB)", flag, text)
}
