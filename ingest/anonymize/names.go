package anonymize

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"poolproof/core/pooltree"
)

// A kind says which object has a name. A name of several kinds is replaced as one of the first.
type kind uint8

const (
	treeName kind = iota
	poolName
	userName
	nodeName
	tagName
	moduleName // a data center or a network of nodes
	presetName
	mediumName
	snapshotName
	jobName // that no job of the trace has
	accountName
	sourceName
	wordName // a word that is not in the format's list of words
	kinds
)

var kindNames = [kinds]string{"tree", "pool", "user", "node", "tag", "module", "preset", "medium", "snapshot", "other-job", "account", "source", "other"}

// names are all names of a trace and their replacements.
type names struct {
	kinds map[string]kind
	to    map[string]string // nil while they are collected
	key   []byte            // that the order of the replacements follows from
}

// replace returns the replacement of a name; while names are collected, the name.
func (n *names) replace(k kind, name string) string {
	if name == "" || name == pooltree.RootName {
		return name
	}
	if n.to != nil {
		to, known := n.to[name]
		if !known {
			panic(fmt.Sprintf("name of a %s was not collected", kindNames[k]))
		}
		return to
	}
	if known, seen := n.kinds[name]; !seen || k < known {
		n.kinds[name] = k
	}
	return name
}

// pool replaces the name of a pool; that of a user's subpool part by part.
func (n *names) pool(name string) string {
	hub, user, isSubpool := strings.Cut(name, "$")
	if !isSubpool {
		return n.replace(poolName, name)
	}
	return n.replace(poolName, hub) + "$" + n.replace(userName, user)
}

// list replaces the names that a text joins by commas, and sorts them if they were.
func (n *names) list(k kind, joined string) string {
	if joined == "" {
		return joined
	}
	list := strings.Split(joined, ",")
	sorted := slices.IsSorted(list)
	for i := range list {
		list[i] = n.replace(k, strings.TrimSpace(list[i]))
	}
	if sorted {
		slices.Sort(list)
	}
	return strings.Join(list, ",")
}

// formula replaces the tags in a formula (core/spec/scheduling.md §2.2). A question mark, which is not
// valid either, replaces text that cannot be part of a formula.
func (n *names) formula(k kind, text string) string {
	return pooltree.MapFormula(text, func(tag string) string { return n.replace(k, tag) })
}

// place returns the sort key of a name among those of its kind. It cannot be computed from the list of
// names without the key.
func (n *names) place(k kind, name string) []byte {
	mac := hmac.New(sha256.New, n.key)
	mac.Write([]byte(kindNames[k] + "\x00" + name))
	return mac.Sum(nil)
}

// chooseReplacements chooses the replacement of each name.
func (n *names) chooseReplacements() {
	var of [kinds][]string
	for name, k := range n.kinds {
		of[k] = append(of[k], name)
	}
	n.to = map[string]string{}
	for k, list := range of {
		slices.SortFunc(list, func(a, b string) int { return bytes.Compare(n.place(kind(k), a), n.place(kind(k), b)) })
		for i, name := range list {
			n.to[name] = numbered(kindNames[k], i, len(list))
		}
	}
}

// numbered returns a replacement. Numbers are padded to the length of the last one, so that texts sort
// by number.
func numbered(what string, i, of int) string {
	return fmt.Sprintf("%s-%0*d", what, len(strconv.Itoa(max(of-1, 0))), i)
}
