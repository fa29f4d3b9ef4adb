package report

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// A treeUsage holds the usage of a tree by holder over the judged window.
type treeUsage struct {
	Tree string
	*stack
}

// readUsage returns who held each tree, of its main resource.
func readUsage(ctx context.Context, db *sql.DB, trees []aspirant, from, to time.Time) (all []treeUsage, err error) {
	for _, a := range trees {
		resource, err := mainResource(ctx, db, a.tree)
		if err != nil {
			return nil, err
		}
		s, err := readStack(ctx, db, a.tree, element{}, resource, from, to)
		if err != nil {
			return nil, err
		}
		all = append(all, treeUsage{a.tree, s})
	}
	return all, nil
}

// mainResource is the resource that guarantees of a tree are inferred from.
func mainResource(ctx context.Context, db *sql.DB, tree string) (resource string, err error) {
	if err := db.QueryRowContext(ctx, "SELECT main_resource FROM trees WHERE tree = $1", tree).Scan(&resource); err != nil {
		return "", fmt.Errorf("read tree %s: %w", tree, err)
	}
	return resource, nil
}

// Of names the resource that the picture shows, and the step of its means.
func (u *treeUsage) Of() string {
	return fmt.Sprintf("Shares of its %s, means over %s.", spaced(u.Resource), stepText(u.Step))
}

// Heads and Rows are the same as a table.
func (u *treeUsage) Heads() []string  { heads, _ := u.table().forPeople(); return heads }
func (u *treeUsage) Rows() [][]string { _, rows := u.table().forPeople(); return rows }
