package report

import (
	"bytes"
	"context"
	"path/filepath"

	"poolproof/audit"
	"poolproof/ingest/atomicdir"
)

// WritePage writes the page on the verdict into the run in dir. It appears
// whole or not at all.
func WritePage(ctx context.Context, v *audit.Verdict, dir string, memory audit.Memory) error {
	var b bytes.Buffer
	if err := page(ctx, &b, v, dir, memory); err != nil {
		return err
	}
	return atomicdir.WriteFile(filepath.Join(dir, pageName), plain(b.Bytes()), 0o644)
}

// page writes the page on the verdict on the run in dir.
func page(ctx context.Context, b *bytes.Buffer, v *audit.Verdict, dir string, memory audit.Memory) error {
	db, err := audit.OpenDatabase(dir, memory)
	if err != nil {
		return err
	}
	defer db.Close()
	return HTML(ctx, b, v, db.DB)
}
