// Package spelling finds what somebody who mistyped a name may have meant, for the
// errors of all commands.
//
//	fmt.Errorf("unknown format %q; %s", word, spelling.Meant(word, formats))
//
// It knows of no vocabulary of its own.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// mostNear is how many names are offered; where more are as near, the word was no
// slip of one.
const mostNear = 5

// Near returns the names that differ from a word by a few edits, one and one more for
// every four letters, or that go on where the word ends; the nearest first, and none
// where there are more than a few. Case does not count.
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
		if far[name] <= 1+len(word)/4 || len(word) >= 3 && strings.HasPrefix(plain, word) {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b)) })
	// What is much farther than the nearest was hardly meant.
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

// Meant asks for the names that are near a word, or else says which there are.
func Meant(word string, names []string) string {
	return MeantOr(word, names, "there are "+strings.Join(names, ", "))
}

// MeantOr asks for the names that are near a word, or else says something.
func MeantOr(word string, names []string, otherwise string) string {
	near := Near(word, names)
	if len(near) == 0 {
		return otherwise
	}
	return "did you mean " + Either(near) + "?"
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
