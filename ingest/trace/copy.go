package trace

import (
	"context"
	"errors"
	"path/filepath"

	"poolproof/ingest/parquetlog"
)

// A Copy goes over the rows of a trace: the dimensions, the trees, what concerns all of them; in
// each the tables in the order of their declaration.
type Copy struct {
	Dir    string
	Trees  []string // whose rows are shown
	Memory parquetlog.Memory
	// Edit is shown every row, which it may change, and reports whether the row stays. The
	// folder is that of the table: dim, global, or TreeDir of a tree.
	Edit func(table *Table, folder string, row any) bool
	To   *Writer                  // of the rows that stay; nil to look only
	Name func(tree string) string // of the tree there; nil for the same
	Seen func(table *Table)       // if set, is called for each row that stays
}

// Run shows all rows. It ends early if the context does.
func (c *Copy) Run(ctx context.Context) error {
	if err := c.folder(ctx, dimDir, c.root); err != nil {
		return err
	}
	for _, tree := range c.Trees {
		if err := c.folder(ctx, TreeDir(tree), c.toTree(tree)); err != nil {
			return err
		}
	}
	return c.folder(ctx, globalDir, c.root)
}

func (c *Copy) root(row any) error { return c.To.Add(row) }

// toTree adds to the tables of a tree, which is in the copy also if it has no row.
func (c *Copy) toTree(tree string) func(row any) error {
	if c.To == nil {
		return nil
	}
	if c.Name != nil {
		tree = c.Name(tree)
	}
	return c.To.Tree(tree).Add
}

// askAfter is after how many rows a Copy looks whether it shall end.
const askAfter = 1 << 16

// folder goes over the tables of a folder.
func (c *Copy) folder(ctx context.Context, folder string, add func(row any) error) error {
	for _, table := range TablesIn(folder) {
		n := 0
		err := table.each(filepath.Join(c.Dir, folder), c.Memory, func(row any) error {
			if n++; n%askAfter == 1 && ctx.Err() != nil {
				return ctx.Err()
			}
			if !c.Edit(table, folder, row) {
				return nil
			}
			if c.Seen != nil {
				c.Seen(table)
			}
			if c.To == nil {
				return nil
			}
			err := add(row)
			if errors.Is(err, errOrder) {
				err = &parquetlog.FormatError{File: filepath.Join(c.Dir, folder, table.Name), Found: err.Error(),
					Advice: "poolproof validate lists all such rows; sort the table, or import the log again."}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
