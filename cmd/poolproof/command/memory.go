package command

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"poolproof/audit"
	"poolproof/ingest"
	"poolproof/ingest/parquetlog"
)

const memoryHelp = "`SIZE` of memory that the process may take, as 4GiB (default: three quarters of the machine's,\nor of its cgroup's)"

// leastMemory is the least that a process can be asked to do with.
const leastMemory = 128 << 20

// boundMemory limits how much memory the process takes: six parts of ten are for Go, three for
// DuckDB, which then spills to the scratch of its run, and the rest for what neither counts.
// Without a size it goes by the machine.
func boundMemory(text string) error {
	bytes := availableMemory() / 4 * 3
	if text != "" {
		var err error
		if bytes, err = parseSize("--memory", text); err != nil {
			return err
		}
		if bytes < leastMemory {
			return usagef("--memory %s is less than %d MiB, the least to work with", text, leastMemory>>20)
		}
	}
	if bytes > 0 {
		debug.SetMemoryLimit(bytes / 10 * 6)
		audit.LimitMemory(bytes / 10 * 3)
		boundPages(bytes, text != "")
		ingest.LimitSorting(bytes / 40) // several tables of several trees may be sorted at a time
	}
	return nil
}

// boundPages gives a fifth of the memory to the pages of each tree's files, and more than
// usual only where a size was asked for.
func boundPages(bytes int64, asked bool) {
	pages := bytes / 5
	if !asked {
		pages = min(pages, parquetlog.DefaultBudget)
	}
	parquetlog.LimitBudget(pages)
}

// sortMemory is the memory for sorting in an import, unless --memory allows more.
const sortMemory = 1 << 30

// boundImport limits how much memory an import takes, and returns how much of it is for sorting.
// Below leastMemory only its sorting shrinks.
func boundImport(text string) (sorting int64, err error) {
	bytes := availableMemory() / 4 * 3
	if text != "" {
		if bytes, err = parseSize("--memory", text); err != nil {
			return 0, err
		}
	}
	if bytes == 0 {
		return sortMemory, nil
	}
	if sorting = bytes / 2; text == "" {
		sorting = min(sorting, sortMemory)
	}
	bytes = max(bytes, leastMemory)
	debug.SetMemoryLimit(bytes / 10 * 9)
	boundPages(bytes, text != "")
	return sorting, nil
}

// availableMemory is the memory of the machine or of the cgroup that this process is in,
// whichever is less; 0 if neither is known.
func availableMemory() int64 {
	least := int64(math.MaxInt64)
	note := func(text string) {
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		if _, rest, ok := strings.Cut(string(b), "MemTotal:"); ok {
			if kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64); err == nil {
				least = kib << 10
			}
		}
	}
	b, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		file := "/sys/fs/cgroup" + parts[2] + "/memory.max" // version 2
		if parts[1] != "" {
			if parts[1] != "memory" {
				continue
			}
			file = "/sys/fs/cgroup/memory" + parts[2] + "/memory.limit_in_bytes"
		}
		if limit, err := os.ReadFile(file); err == nil {
			note(string(limit))
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}
