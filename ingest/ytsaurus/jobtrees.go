package ytsaurus

// describedTrees are the trees that the log describes, by snapshots, nodes or exports; nil where it has no
// snapshot and no nodes, so that rows of jobs alone name trees.
func (a *assembly) describedTrees() map[string]bool {
	var described map[string]bool
	for _, p := range a.sorter.Prefixes() {
		tree := treeID(p[1])<<16 | treeID(p[2])<<8 | treeID(p[3])
		if c := class(p[0]); tree != noTree && (c == snapshotRecords || c == nodeRecords) {
			if described == nil {
				described = map[string]bool{}
			}
			described[a.trees[tree]] = true
		}
	}
	if described == nil || a.exporting == nil {
		return described
	}
	for _, v := range a.exporting.versions {
		for i := range v.document.Trees {
			described[v.document.Trees[i].Name] = true
		}
	}
	return described
}

// namedTree is the tree that rows of a job name, nil ones apart: "" where they name none, or several, or
// one that the log does not describe. Rows of jobs alone make no tree: the name is damaged.
func (p *pairing) namedTree(rows ...*jobRow) (tree string) {
	strange := ""
	for _, r := range rows {
		switch {
		case r == nil || r.tree == "" || r.tree == tree:
		case p.described != nil && !p.described[r.tree]:
			strange = r.tree
		case tree != "":
			return "" // which of them had it is not known
		default:
			tree = r.tree
		}
	}
	if strange != "" {
		p.problems.Note(wholeLog, -1, "tree_id", strayTree, p.job.String()+": "+strange)
	}
	return tree
}
