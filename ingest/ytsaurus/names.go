package ytsaurus

// A treeID is a pool tree's number during an import, in the order of first
// sight. Zero stands for a tree that nothing names.
type treeID uint32

const noTree treeID = 0

// A names holds texts that occur often once.
type names map[string]string

func (n names) of(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := n[string(b)]; ok {
		return s
	}
	s := string(b)
	n[s] = s
	return s
}

// maxTrees bounds how many trees a log may name: more are damage.
const maxTrees = 10_000

// tree returns the number of a tree.
func (l *loader) tree(name []byte) treeID {
	if len(name) == 0 {
		return noTree
	}
	if id, ok := l.treeIDs[string(name)]; ok {
		return id
	}
	if len(l.trees) > maxTrees {
		return noTree
	}
	id := treeID(len(l.trees))
	l.trees = append(l.trees, string(name))
	l.treeIDs[string(name)] = id
	return id
}
