// Package spelling suggests the names that a mistyped word may stand for, in the errors of all
// commands, and spells names where a terminal or a shell reads them (shell.go).
//
//	fmt.Errorf("unknown format %q; %s", word, spelling.Meant(word, formats))
package spelling

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostNear is the maximum number of suggested names. If more names are equally near, the word is not a
// typo of one of them.
const mostNear = 5

// longWord is the least length of a word that names are unlikely to contain by chance, in bytes.
const longWord = 8

// Near returns the names that differ from a word by a few edits, one and one more for
// every four letters, or that go on where the word ends, or that hold a long word; the
// nearest first, and none where there are more than a few. Case does not count.
func Near(word string, names []string) []string {
	word = strings.ToLower(word)
	far := map[string]int{}
	var near []string
	for _, name := range names {
		plain := strings.ToLower(name)
		if _, seen := far[name]; seen {
			continue
		}
		far[name] = distance(plain, word)
		if far[name] <= 1+len(word)/4 || len(word) >= 3 && strings.HasPrefix(plain, word) ||
			len(word) >= longWord && strings.Contains(plain, word) {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b)) })
	// Names much farther than the nearest one are unlikely to be meant.
	for _, beyond := range []int{1, 0} {
		for len(near) > 0 && far[near[len(near)-1]] > far[near[0]]+beyond {
			near = near[:len(near)-1]
		}
		if len(near) <= mostNear {
			return near
		}
	}
	return nil
}

// mostNames is the maximum number of names of a vocabulary that an error lists; the rest is counted.
const mostNames = 20

// Meant suggests the names that are near a word, or else lists all names.
func Meant(word string, names []string) string {
	all := strings.Join(names[:min(len(names), mostNames)], ", ")
	if more := len(names) - mostNames; more > 0 {
		all += fmt.Sprintf(" and %d more", more)
	}
	return MeantOr(word, names, "there are "+all)
}

// MeantOr suggests the names that are near a word, and returns otherwise if there are none.
func MeantOr(word string, names []string, otherwise string) string {
	near := Near(word, names)
	if len(near) == 0 {
		return otherwise
	}
	return "did you mean " + Either(near) + "?"
}

// MeantName does the same for names given by users, such as those of trees, which may hold
// anything: they are quoted and sorted, and those beyond a limit are counted. The caller writes
// their owner before: the trace has no tree "x"; ...
func MeantName(word string, names []string) string {
	near := Near(word, names)
	if len(near) == 0 {
		return "it has " + Quoted(names)
	}
	for i, name := range near {
		near[i] = strconv.Quote(name)
	}
	return "did you mean " + Either(near) + "?"
}

// mostListed is the maximum number of names in a list; the rest is counted.
const mostListed = 8

// Quoted lists names, sorted: "a", "b" and "c"; "a", ... and 12 more.
func Quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	var all []string
	for _, name := range slices.Sorted(slices.Values(names)) {
		all = append(all, strconv.Quote(name))
	}
	if more := len(all) - mostListed; more > 0 {
		all = append(all[:mostListed], strconv.Itoa(more)+" more")
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return all[0]
}

// Either lists alternatives: a, b or c.
func Either(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// distance is the number of bytes to insert, remove or replace that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
