package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"poolproof/audit"
)

// WritePage writes the page on the verdict into the run in dir. It appears
// whole or not at all.
func WritePage(ctx context.Context, v *audit.Verdict, dir string) error {
	var b bytes.Buffer
	if err := page(ctx, &b, v, dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+PageName+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", PageName, err)
	}
	defer os.Remove(f.Name()) // without effect once it is renamed
	_, err = f.Write(b.Bytes())
	for _, step := range []func() error{f.Sync, func() error { return f.Chmod(0o644) }, f.Close} {
		if e := step(); err == nil {
			err = e
		}
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, PageName))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", PageName, err)
	}
	return nil
}

// page writes the page on the verdict on the run in dir.
func page(ctx context.Context, b *bytes.Buffer, v *audit.Verdict, dir string) error {
	db, err := audit.OpenDatabase(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	return HTML(ctx, b, v, db.DB)
}
