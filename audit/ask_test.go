package audit

import (
	"context"
	"io"

	"poolproof/queries"
)

// Query puts one question to a run.
func Query(ctx context.Context, dir, query, format string, w io.Writer) error {
	s, err := OpenSession(ctx, queries.Files, []Source{{Dir: dir}}, false, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Answer(ctx, query, format, w)
}
