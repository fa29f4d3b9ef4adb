package parquetlog

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A chunk is where a column chunk lies and what its file says of it.
type chunk struct {
	in   io.ReaderAt
	size int64 // of the file
	meta *format.ColumnMetaData
	rows int64 // of its row group
}

// check walks over the headers of the chunk's pages and refuses sizes that
// cannot be. The Parquet library makes room for what a header announces before
// it reads on, so one damaged bit could cost gigabytes.
func (c *chunk) check(t Type) error {
	start := c.meta.DataPageOffset
	if d := c.meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	end := start + c.meta.TotalCompressedSize
	if start < 0 || end < start || end > c.size {
		return fmt.Errorf("a column chunk lies outside the file")
	}
	section := io.NewSectionReader(c.in, start, end-start)
	in := bufio.NewReaderSize(section, 512)
	protocol := new(thrift.CompactProtocol)
	decoder := thrift.NewDecoder(protocol.NewReader(in))
	for seen := int64(0); seen < c.rows; {
		header := format.PageHeader{}
		if err := decoder.Decode(&header); err != nil {
			return fmt.Errorf("read page header: %w", err)
		}
		at, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		at -= int64(in.Buffered())
		values, err := c.checkHeader(&header, t, end-start-at)
		if err != nil {
			return err
		}
		seen += values
		if _, err := section.Seek(at+int64(header.CompressedPageSize), io.SeekStart); err != nil {
			return err
		}
		in.Reset(section)
	}
	return nil
}

// checkHeader checks one header and returns how many rows its page has. Left is
// how many bytes of the chunk follow it.
func (c *chunk) checkHeader(h *format.PageHeader, t Type, left int64) (rows int64, err error) {
	compressed, uncompressed := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case compressed < 0 || compressed > left:
		return 0, fmt.Errorf("a page of %d bytes stands where %d are left", compressed, left)
	case uncompressed < 0 || uncompressed > c.meta.TotalUncompressedSize:
		return 0, fmt.Errorf("a page of %d bytes stands in a column chunk of %d", uncompressed, c.meta.TotalUncompressedSize)
	}
	switch h.Type {
	case format.DictionaryPage:
		// A dictionary may hold values that no row has, but none without bytes.
		n := int64(h.DictionaryPageHeader.V.NumValues)
		if n < 0 || n*smallest[t] > uncompressed {
			return 0, fmt.Errorf("a dictionary of %d bytes says that it has %d values", uncompressed, n)
		}
		return 0, nil
	case format.DataPage:
		rows = int64(h.DataPageHeader.V.NumValues)
	case format.DataPageV2:
		rows = int64(h.DataPageHeaderV2.V.NumValues)
		levels := int64(h.DataPageHeaderV2.V.DefinitionLevelsByteLength) + int64(h.DataPageHeaderV2.V.RepetitionLevelsByteLength)
		if levels < 0 || levels > compressed {
			return 0, fmt.Errorf("a page of %d bytes has %d bytes of levels", compressed, levels)
		}
	}
	if rows < 0 || rows > c.rows {
		return 0, fmt.Errorf("a page says that it has %d rows, and its row group has %d", rows, c.rows)
	}
	return rows, nil
}

// smallest is how many bytes a value of a dictionary takes at least.
var smallest = map[Type]int64{Int32: 4, Int64: 8, Time: 8, Double: 8, Bool: 0, Text: 4}
