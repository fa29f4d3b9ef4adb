package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"poolproof/core/spelling"
)

// alike is a sentence about several trees that differs only in quantities and the tree's own name.
type alike struct {
	trees  []string
	first  string   // the text about the first tree
	words  []string // of the text with the greatest first quantity, which has the plural
	ranges []extent // of the quantities, in the order of the text
}

// An extent is the range of a quantity.
type extent struct{ least, most quantityText }

// A quantityText is a quantity as a text writes it.
type quantityText struct {
	value float64
	text  string
}

// A folding groups sentences about trees, equal ones once, in the order of first occurrence.
type folding struct {
	all   []*alike
	place map[string]int // by shape
}

// add takes in what is said of a tree.
func (f *folding) add(text, tree string) *alike {
	shape := shapeOf(text, tree)
	i, ok := f.place[shape]
	if !ok {
		if f.place == nil {
			f.place = map[string]int{}
		}
		i = len(f.all)
		f.place[shape] = i
		f.all = append(f.all, &alike{})
	}
	f.all[i].add(text, tree)
	return f.all[i]
}

// FoldedTrees returns lines about trees: one each or, for more than a few, one for those that
// differ only in quantities; the exceptions come first.
func FoldedTrees(trees []string, about func(tree string) string) (lines []string) {
	var f folding
	for _, tree := range trees {
		f.add(about(tree), tree)
		lines = append(lines, spelling.OneName(fmt.Sprintf("Tree %s: %s", tree, about(tree))))
	}
	if len(trees) <= shownNames {
		return lines
	}
	lines = nil
	slices.SortStableFunc(f.all, func(a, b *alike) int { return cmp.Compare(len(a.trees), len(b.trees)) })
	for i, a := range f.all {
		each := ""
		if len(a.trees) > 1 && len(a.ranges) > 0 {
			each = "in each "
		}
		lines = append(lines, spelling.OneName(fmt.Sprintf("%s: %s%s", whoOf(a.trees, trees, i > 0 && i == len(f.all)-1), each, a.text())))
	}
	return lines
}

// whoOf names trees at the beginning of a sentence; the rest are all that were not named
// before.
func whoOf(trees, all []string, rest bool) string {
	if n := len(trees); rest && n > shownNames {
		return fmt.Sprintf("The other %s trees", number(int64(n)))
	}
	return capital(treesText(trees, all))
}

// shapeOf is a text about a tree without its quantities, the name of the tree, and the s
// of a plural or of a verb, for comparison.
func shapeOf(text, tree string) string {
	words, _ := partsOf(text, tree)
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "s")
	}
	return strings.Join(words, " ")
}

// add takes in the text about a tree, which must say the same.
func (a *alike) add(text, tree string) {
	if len(a.trees) == 0 {
		a.first = text
	}
	if !slices.Contains(a.trees, tree) {
		a.trees = append(a.trees, tree)
	}
	words, quantities := partsOf(text, tree)
	if a.words == nil || len(quantities) > 0 && quantities[0].value > a.ranges[0].most.value {
		a.words = words
	}
	if a.ranges == nil {
		a.ranges = make([]extent, len(quantities))
		for i, q := range quantities {
			a.ranges[i] = extent{q, q}
		}
	}
	for i, q := range quantities {
		if r := &a.ranges[i]; q.value < r.least.value {
			r.least = q
		} else if q.value > r.most.value {
			r.most = q
		}
	}
}

// text returns the sentence about all the trees: ranges of quantities, and "each tree" for the
// tree's own name.
func (a *alike) text() string {
	if len(a.trees) == 1 {
		return a.first
	}
	n := 0
	words := slices.Clone(a.words)
	for i, w := range words {
		switch mark, rest := w[:min(len(w), 1)], w[min(len(w), 1):]; {
		case mark == quantityMark:
			r := a.ranges[n]
			n++
			if words[i] = r.least.text + rest; r.least.text != r.most.text {
				words[i] = r.least.text + " to " + r.most.text + rest
			}
		case mark == ownTreeMark:
			words[i] = rest
		}
	}
	return strings.Join(words, " ")
}

// Marks of words that stand for something else; no text of ours has them.
const (
	quantityMark = "\x01" // a quantity
	ownTreeMark  = "\x02" // "each tree", where a text names the tree that it is about
)

var (
	numberPattern = regexp.MustCompile(`^\d[\d,]*(\.\d+)?$`)
	unitPattern   = regexp.MustCompile(`^(h|min|s)([,;:.)]*)$`)
	nounPattern   = regexp.MustCompile(`^(%|[a-z])`)
	kindPattern   = regexp.MustCompile(`^(tree|pool|operation|job|node|user)$`)
)

// partsOf takes the quantities out of a text about a tree. A quantity is a number before
// a unit or a noun, or a span of several units; what follows a kind is a name.
func partsOf(text, tree string) (words []string, quantities []quantityText) {
	fields := strings.Split(text, " ")
	for i := 0; i < len(fields); i++ {
		field := fields[i]
		kind := strings.ToLower(field)
		switch {
		case kind == "tree" && i+1 < len(fields) && strings.TrimRight(fields[i+1], ",;:.)") == tree:
			each := "each"
			if field != kind {
				each = "Each"
			}
			words = append(words, ownTreeMark+each+" tree"+strings.TrimPrefix(fields[i+1], tree))
			i++
		case kindPattern.MatchString(kind) && i+1 < len(fields):
			words = append(words, field, fields[i+1])
			i++
		case numberPattern.MatchString(field) && i+1 < len(fields) && nounPattern.MatchString(fields[i+1]):
			q, used, after := quantityAt(fields[i:])
			words, quantities = append(words, quantityMark+after), append(quantities, q)
			i += used - 1
		default:
			words = append(words, field)
		}
	}
	return words, quantities
}

// secondsIn are the units of a span.
var secondsIn = map[string]float64{"h": 3600, "min": 60, "s": 1}

// quantityAt reads a number or a span, of so many fields, and what ends its last unit.
func quantityAt(fields []string) (q quantityText, used int, after string) {
	for used+1 < len(fields) && after == "" && numberPattern.MatchString(fields[used]) {
		unit := unitPattern.FindStringSubmatch(fields[used+1])
		if unit == nil {
			break
		}
		q.value += numberIn(fields[used]) * secondsIn[unit[1]]
		after = unit[2]
		used += 2
	}
	if used == 0 {
		return quantityText{numberIn(fields[0]), fields[0]}, 1, ""
	}
	q.text = strings.TrimSuffix(strings.Join(fields[:used], " "), after)
	return q, used, after
}

func numberIn(text string) float64 {
	x, _ := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64) // the pattern is one of numbers
	return x
}

// exceptions is the number of trees that a text names as exceptions.
const exceptions = 2

// treesText names some of all trees: tree gpu; trees a and b; both trees; all 12 trees;
// all 12 trees but a.
func treesText(trees, all []string) string {
	n, of := len(trees), len(all)
	switch {
	case n == 1:
		return "tree " + trees[0]
	case n == 2 && of == 2:
		return "both trees"
	case n == of:
		return fmt.Sprintf("all %s trees", number(int64(n)))
	case of-n <= exceptions && n > 2*exceptions:
		var but []string
		for _, t := range all {
			if !slices.Contains(trees, t) {
				but = append(but, t)
			}
		}
		return fmt.Sprintf("all %s trees but %s", number(int64(of)), names(but))
	}
	return "trees " + names(trees)
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
