package report

import (
	"fmt"
	"slices"
	"strings"
)

// alike is what is said of some trees.
type alike struct {
	text  string
	trees []string
}

// fold adds what is said of a tree, to those of which the same is said.
func fold(all []alike, text, tree string) []alike {
	i := slices.IndexFunc(all, func(a alike) bool { return a.text == text })
	if i < 0 {
		return append(all, alike{text, []string{tree}})
	}
	if !slices.Contains(all[i].trees, tree) {
		all[i].trees = append(all[i].trees, tree)
	}
	return all
}

// treesText names trees of so many: tree gpu; trees a and b; both trees; all 12 trees.
func treesText(trees []string, of int) string {
	switch n := len(trees); {
	case n == 1:
		return "tree " + trees[0]
	case n == 2 && of == 2:
		return "both trees"
	case n == of:
		return fmt.Sprintf("all %d trees", n)
	}
	return "trees " + names(trees)
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
