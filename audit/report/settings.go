package report

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A change is a configuration that replaced another.
type change struct {
	at   time.Time
	pool string // empty of the tree
	what string // "weight from 1 to 2; mode from fair_share to fifo"
}

// placed are the columns of a version that are no settings.
var placed = []string{"tree", "pool", "path", "depth", "is_ephemeral", "configured", "first_seen", "last_seen", "from_time", "to_time", "clipped_from", "clipped_to", "assumed"}

// readChanges returns the changes of the configuration of a tree in a span, oldest first:
// of the tree's own settings and of its pools'.
func readChanges(ctx context.Context, db *sql.DB, tree string, from, to time.Time) (all []change, err error) {
	for _, table := range []string{"tree_versions", "pool_versions"} {
		some, err := changesOf(ctx, db, table, tree, from, to)
		if err != nil {
			return nil, fmt.Errorf("read the configuration of tree %s: %w", tree, err)
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b change) int { return a.at.Compare(b.at) })
	return all, nil
}

// changesOf are those in one table of versions.
func changesOf(ctx context.Context, db *sql.DB, table, tree string, from, to time.Time) (all []change, err error) {
	order := "from_time"
	if table == "pool_versions" {
		order = "pool, from_time"
	}
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+table+" WHERE tree = $1 ORDER BY "+order, tree)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var versions []map[string]any
	for rows.Next() {
		values := make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		now := map[string]any{}
		for i, name := range columns {
			now[name] = values[i]
		}
		versions = append(versions, now)
	}
	for _, c := range changesAmong(columns, versions) {
		if !c.at.Before(from) && !c.at.After(to) {
			all = append(all, c)
		}
	}
	return all, rows.Err()
}

// changesAmong are the changes from each version to the next. The first versions of the log
// are none.
func changesAmong(columns []string, versions []map[string]any) (all []change) {
	var first time.Time
	for i, v := range versions {
		if at := instantOf(v, "from_time"); i == 0 || at.Before(first) {
			first = at
		}
	}
	for i, now := range versions {
		pool, _ := now["pool"].(string)
		at := instantOf(now, "from_time")
		var before map[string]any
		if i > 0 && versions[i-1]["pool"] == now["pool"] {
			before = versions[i-1]
		}
		switch what := settingsChanged(columns, before, now); {
		case before == nil && at.After(first):
			all = append(all, change{at, pool, "added"})
		case before != nil && what != "":
			all = append(all, change{at, pool, what})
		}
		last := i+1 == len(versions) || versions[i+1]["pool"] != now["pool"]
		if last && now["clipped_to"] == false {
			all = append(all, change{instantOf(now, "to_time"), pool, "removed"})
		}
	}
	return all
}

func instantOf(version map[string]any, column string) time.Time {
	at, _ := version[column].(time.Time)
	return at.UTC()
}

// settingsChanged are the settings that are others in a version than in the one before it.
func settingsChanged(columns []string, before, now map[string]any) string {
	var parts []string
	for _, name := range columns {
		if was, is := before[name], now[name]; was != is && !slices.Contains(placed, name) {
			parts = append(parts, fmt.Sprintf("%s from %s to %s", name, setting(was), setting(is)))
		}
	}
	return strings.Join(parts, "; ")
}

// setting is a value of a configuration for a person.
func setting(value any) string {
	switch {
	case value == nil:
		return "unset"
	case value == "":
		return "none"
	}
	return fmt.Sprint(value)
}
