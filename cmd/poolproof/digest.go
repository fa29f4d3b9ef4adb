package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"poolproof/replay/tables"
)

// digests returns the SHA-256 of every file of a trace, by its path in it.
func digests(ctx context.Context, dir string) (map[string]string, error) {
	sums := map[string]string{}
	dir, err := filepath.EvalSymlinks(dir) // WalkDir does not enter a link
	if err != nil {
		return nil, fmt.Errorf("digest the trace: %w", err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sums[filepath.ToSlash(name)], err = tables.DigestOf(path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("digest the trace: %w", err)
	}
	return sums, nil
}
