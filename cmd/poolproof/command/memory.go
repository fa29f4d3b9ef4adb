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

// memoryLimits are the limits of each database and of each stream of a trace.
type memoryLimits struct {
	database audit.Memory
	trace    ingest.Memory
}

// boundMemory limits how much memory the process takes: six parts of ten are for Go, three for
// DuckDB, which then spills to the scratch of its run, and the rest for what neither counts.
// Without a size it goes by the machine.
func boundMemory(text string) (m memoryLimits, err error) {
	bytes := availableMemory() / 4 * 3
	if text != "" {
		if bytes, err = parseSize("--memory", text); err != nil {
			return m, err
		}
		if bytes < leastMemory {
			return m, usagef("--memory %s is less than %d MiB, the least to work with", text, leastMemory>>20)
		}
	}
	if bytes > 0 {
		debug.SetMemoryLimit(bytes / 10 * 6)
		m.database = audit.Memory(bytes / 10 * 3)
		m.trace = ingest.Memory{
			Pages:   pagesOf(bytes, text != ""),
			Sorting: bytes / 40, // several tables of several trees may be sorted at a time
		}
	}
	return m, nil
}

// pagesOf returns a fifth of the memory for the pages of each tree's files, and more than
// usual only where a size was asked for.
func pagesOf(bytes int64, asked bool) parquetlog.Memory {
	pages := parquetlog.Memory(bytes / 5)
	if !asked {
		pages = min(pages, parquetlog.DefaultMemory)
	}
	return pages
}

// sortMemory is the memory for sorting in an import, unless --memory allows more.
const sortMemory = 1 << 30

// boundImport limits how much memory an import takes, and returns how much of it is for sorting and
// for pages. Below leastMemory only its sorting shrinks.
func boundImport(text string) (sorting int64, pages parquetlog.Memory, err error) {
	bytes := availableMemory() / 4 * 3
	if text != "" {
		if bytes, err = parseSize("--memory", text); err != nil {
			return 0, 0, err
		}
	}
	if bytes == 0 {
		return sortMemory, 0, nil
	}
	if sorting = bytes / 2; text == "" {
		sorting = min(sorting, sortMemory)
	}
	bytes = max(bytes, leastMemory)
	debug.SetMemoryLimit(bytes / 10 * 9)
	return sorting, pagesOf(bytes, text != ""), nil
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
