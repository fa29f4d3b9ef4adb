package extsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sorted is the slow obvious version.
func sorted(records [][]byte, p Prefix) []string {
	var want []string
	for _, r := range records {
		if Prefix(r) == p {
			want = append(want, string(r))
		}
	}
	slices.Sort(want)
	return slices.Compact(want)
}

func scanned(t interface{ Fatal(...any) }, s *Sorter, p Prefix) []string {
	var got []string
	scan := s.Scan(p)
	for scan.Next() {
		got = append(got, string(scan.Record()))
	}
	if scan.Err() != nil {
		t.Fatal(scan.Err())
	}
	return got
}

// Every group comes in order, each record once, whether or not the buffer
// overflows, and a second scan gives the same.
func TestScanEqualsSorting(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := New(Options{Memory: 1, Scratch: filepath.Join(dir, "runs")})
		s.options.Memory = rapid.Int64Range(1, 400).Draw(t, "memory")
		s.fanIn = rapid.IntRange(2, 4).Draw(t, "fan in")
		defer s.Close()
		records := rapid.SliceOf(rapid.SliceOfN(rapid.ByteRange(0, 3), PrefixBytes, 9)).Draw(t, "records")
		for _, r := range records {
			if err := s.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		var prefixes []Prefix
		for _, r := range records {
			prefixes = append(prefixes, Prefix(r))
		}
		slices.SortFunc(prefixes, func(a, b Prefix) int { return bytes.Compare(a[:], b[:]) })
		prefixes = slices.Compact(prefixes)
		if !slices.Equal(s.Prefixes(), prefixes) {
			t.Fatal("prefixes", s.Prefixes(), "want", prefixes)
		}
		for _, p := range append(prefixes, Prefix{255, 0, 0, 1}) {
			want := sorted(records, p)
			for range 2 {
				if got := scanned(t, s, p); !slices.Equal(got, want) {
					t.Fatalf("group %v: got %q, want %q", p, got, want)
				}
			}
		}
	})
}

func TestCloseLeavesNothing(t *testing.T) {
	scratch := filepath.Join(t.TempDir(), "runs")
	s := New(Options{Memory: leastMemory, Scratch: scratch})
	record := make([]byte, 1<<16)
	for i := range 40 {
		binary.BigEndian.PutUint64(record, uint64(i))
		if err := s.Add(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(scratch); err != nil || len(entries) == 0 {
		t.Fatal("nothing was written out", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(scratch); !os.IsNotExist(err) {
		t.Error("the scratch folder stays:", err)
	}
}

func TestFilesStayFew(t *testing.T) {
	scratch := filepath.Join(t.TempDir(), "runs")
	s := New(Options{Scratch: scratch})
	s.options.Memory, s.fanIn = 100, 3
	defer s.Close()
	const records = 2000
	most := 0
	for i := range records {
		// A permutation of 0 to records-1.
		if err := s.Add(binary.BigEndian.AppendUint64(nil, uint64(i*7919%records))); err != nil {
			t.Fatal(err)
		}
		if s.made > most*10 {
			entries, _ := os.ReadDir(scratch)
			most = max(most, len(entries))
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if s.made < 400 || most > 2*8+1 {
		t.Errorf("%d runs were made, and up to %d stood at once", s.made, most)
	}
	got := scanned(t, s, Prefix{})
	if len(got) != records || !slices.IsSorted(got) {
		t.Errorf("%d records come back", len(got))
	}
	if entries, _ := os.ReadDir(scratch); len(entries) != len(s.runs) {
		t.Errorf("%d files of %d runs", len(entries), len(s.runs))
	}
}

func TestADamagedRunIsAnError(t *testing.T) {
	scratch := filepath.Join(t.TempDir(), "runs")
	s := New(Options{Scratch: scratch})
	s.options.Memory = 200
	defer s.Close()
	for i := range 100 {
		if err := s.Add(binary.BigEndian.AppendUint64(nil, uint64(i)<<8)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(scratch, "run-000000"), 12); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Prefixes() {
		scan := s.Scan(p)
		for scan.Next() {
		}
		if scan.Err() != nil {
			return
		}
	}
	t.Error("a run that is cut off is read to its end")
}

func BenchmarkSort(b *testing.B) {
	for _, memory := range []int64{4 << 20, 256 << 20} {
		b.Run(fmt.Sprintf("memory=%dMiB", memory>>20), func(b *testing.B) {
			const records, size = 200_000, 150
			random := rand.New(rand.NewPCG(1, 2))
			record := make([]byte, size)
			b.SetBytes(records * size)
			b.ReportAllocs()
			for b.Loop() {
				s := New(Options{Memory: memory, Scratch: filepath.Join(b.TempDir(), "runs")})
				for range records {
					binary.BigEndian.PutUint64(record[PrefixBytes:], random.Uint64())
					if err := s.Add(record); err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Finish(); err != nil {
					b.Fatal(err)
				}
				scan := s.Scan(Prefix{})
				for scan.Next() {
				}
				if scan.Err() != nil {
					b.Fatal(scan.Err())
				}
				s.Close()
			}
		})
	}
}
