package parquetlog

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A chunk locates a column chunk in its file, and holds its metadata.
type chunk struct {
	in   io.ReaderAt
	size int64 // of the file
	meta *format.ColumnMetaData
	rows int64 // of its row group
}

// chunkOf returns a column's chunk of a row group.
func chunkOf(f *parquet.File, group int, c *parquet.Column, kind parquet.Kind, in io.ReaderAt, size int64) (chunk, error) {
	g := &f.Metadata().RowGroups[group]
	says := &g.Columns[c.Index()]
	switch {
	case says.FilePath != "" || says.CryptoMetadata.Value != nil:
		return chunk{}, &FormatError{Found: "it is encrypted, or lies in another file", Advice: "Write it as it is, into the file."}
	case parquet.Kind(says.MetaData.Type) != kind:
		return chunk{}, fmt.Errorf("row group %d has values of the type %s, and the schema says %s", group, parquet.Kind(says.MetaData.Type), kind)
	}
	return chunk{in, size, &says.MetaData, g.NumRows}, nil
}

// section returns the bytes of the chunk.
func (c *chunk) section() (*io.SectionReader, error) {
	start := c.meta.DataPageOffset
	if d := c.meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	end := start + c.meta.TotalCompressedSize
	if start < 0 || end < start || end > c.size {
		return nil, errors.New("a column chunk lies outside the file")
	}
	return io.NewSectionReader(c.in, start, end-start), nil
}

// physical describes the storage of the values of a column in a file.
type physical struct {
	kind parquet.Kind
	size int  // of a value of FIXED_LEN_BYTE_ARRAY
	def  byte // definition level of a value: above 0 it may be missing
	rep  byte // the highest repetition level: above 0 a row may have several
}

func physicalOf(c *parquet.Column) physical {
	return physical{c.Type().Kind(), c.Type().Length(), byte(c.MaxDefinitionLevel()), byte(c.MaxRepetitionLevel())}
}

// A page is a data page, unpacked. It is valid until the next one.
type page struct {
	n       int    // values and nulls
	values  int    // values
	def     []byte // definition levels of the n; nil if all are values
	rep     []byte // repetition levels of the n; nil if the column has none
	indexed bool   // whether the values are in the dictionary
	indexes []int32
	data    pageData // the values, unless indexed
}

// pages reads the pages of one column chunk after the other. All that a header
// says is checked before room is made for it.
type pages struct {
	physical
	chunk  *chunk
	bytes  *io.SectionReader
	in     *bufio.Reader
	budget *Budget
	held   [2]int64 // what of the budget is taken by a dictionary, and by a page

	page     page
	dict     pageData
	dictSize int  // values of the dictionary, -1 without one
	dictNew  bool // whether it was not looked at yet

	packed, raw, dictRaw []byte
	levels               [2][]byte // repetition, definition
}

// mostIdle is the size up to which a buffer is kept for the next file.
const mostIdle = 1 << 23

// idle holds pages whose buffers the next file can use.
var idle sync.Pool

// newPages returns pages of a column.
func newPages(of physical, budget *Budget) *pages {
	p, ok := idle.Get().(*pages)
	if !ok {
		p = new(pages)
	}
	p.physical, p.budget, p.held, p.page.n = of, budget, [2]int64{}, 0
	return p
}

// close lets others have the buffers: nothing that was read is valid any more.
func (p *pages) close() {
	p.budget.release(p.held[0] + p.held[1])
	p.chunk, p.bytes, p.budget = nil, nil, nil
	for _, b := range []*[]byte{&p.packed, &p.raw, &p.dictRaw} {
		if cap(*b) > mostIdle {
			*b = nil
		}
	}
	p.page.data.bytes, p.dict.bytes = nil, nil
	if p.in != nil {
		p.in.Reset(nil)
	}
	idle.Put(p)
}

// open begins a chunk. Buffer is how much of it is read at a time.
func (p *pages) open(c *chunk, buffer int) error {
	section, err := c.section()
	if err != nil {
		return err
	}
	p.chunk, p.bytes, p.dictSize, p.dictNew = c, section, -1, false
	if p.in == nil || p.in.Size() != buffer {
		p.in = bufio.NewReaderSize(section, buffer)
	} else {
		p.in.Reset(section)
	}
	return nil
}

// left returns how many bytes of the chunk were not read.
func (p *pages) left() (int64, error) {
	at, err := p.bytes.Seek(0, io.SeekCurrent)
	return p.bytes.Size() - at + int64(p.in.Buffered()), err
}

// next reads the next data page. After the last it returns io.EOF.
func (p *pages) next() error {
	for {
		left, err := p.left()
		if err != nil {
			return err
		}
		if left == 0 {
			return io.EOF
		}
		header, err := p.header()
		if err != nil {
			return fmt.Errorf("read page header: %w", noEOF(err))
		}
		if left, err = p.left(); err != nil {
			return err
		}
		if err := p.check(header, left); err != nil {
			return err
		}
		if err := p.reserve(header); err != nil {
			return err
		}
		if header.Type == format.IndexPage {
			if _, err := p.in.Discard(int(header.CompressedPageSize)); err != nil {
				return noEOF(err)
			}
			continue
		}
		packed, err := p.body(header)
		if err != nil {
			return err
		}
		switch header.Type {
		case format.DictionaryPage:
			if err := p.dictionary(header, packed); err != nil {
				return err
			}
		case format.DataPage:
			return p.dataV1(header, packed)
		case format.DataPageV2:
			return p.dataV2(header, packed)
		}
	}
}

// largestHeader is the most bytes of a page's header. It may repeat the longest text
// four times, as least and greatest value and once more for old readers.
const largestHeader = 4*longestText + 1<<20

// header reads the header of a page. It believes nothing before it is known to lie in its bytes.
func (p *pages) header() (*format.PageHeader, error) {
	for size := 512; ; size = min(size*8, largestHeader) {
		b, whole, err := p.ahead(size)
		if err != nil {
			return nil, err
		}
		n, err := walkStruct(b)
		if err == errShort && !whole && size < largestHeader {
			continue
		}
		if err != nil {
			return nil, err
		}
		h := new(format.PageHeader)
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(b[:n])).Decode(h); err != nil {
			return nil, err
		}
		return h, p.discard(n)
	}
}

// ahead returns the next n bytes of the chunk, or all that are left of it, without
// going on.
func (p *pages) ahead(n int) (b []byte, whole bool, err error) {
	if n <= p.in.Size() {
		b, err = p.in.Peek(n)
	} else {
		var left int64
		if left, err = p.left(); err != nil {
			return nil, false, err
		}
		b = make([]byte, min(int64(n), left))
		_, err = p.bytes.ReadAt(b, p.bytes.Size()-left)
		whole = int64(len(b)) == left
	}
	if errors.Is(err, io.EOF) {
		return b, true, nil
	}
	return b, whole, err
}

func (p *pages) discard(n int) error {
	_, err := p.in.Discard(n)
	return err
}

// reserve takes what a page will hold from the budget: what it unpacks to, and its
// values, levels and indexes. A dictionary stays, with the ids of its texts.
func (p *pages) reserve(h *format.PageHeader) error {
	need, held := int64(h.UncompressedPageSize), &p.held[1]
	switch h.Type {
	case format.DictionaryPage:
		need += int64(h.DictionaryPageHeader.V.NumValues) * 12
		held = &p.held[0]
	case format.DataPage:
		need += int64(h.DataPageHeader.V.NumValues) * 14
	case format.DataPageV2:
		need += int64(h.DataPageHeaderV2.V.NumValues) * 14
	}
	if need <= *held {
		return nil
	}
	if err := p.budget.reserve(need - *held); err != nil {
		return err
	}
	*held = need
	return nil
}

// noEOF keeps an end in the middle from looking like the end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// check refuses sizes that cannot be. Left is how many bytes of the chunk follow
// the header.
func (p *pages) check(h *format.PageHeader, left int64) error {
	compressed, uncompressed := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case compressed < 0 || compressed > left:
		return fmt.Errorf("a page of %d bytes stands where %d are left", compressed, left)
	case uncompressed < 0 || uncompressed > p.chunk.meta.TotalUncompressedSize:
		return fmt.Errorf("a page of %d bytes stands in a column chunk of %d", uncompressed, p.chunk.meta.TotalUncompressedSize)
	}
	var values int64
	switch {
	case h.Type == format.IndexPage:
		return nil
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		// A dictionary may hold values that no row has, but none without bytes.
		n := int64(h.DictionaryPageHeader.V.NumValues)
		if n < 0 || n*p.smallest() > uncompressed*8 {
			return fmt.Errorf("a dictionary of %d bytes says that it has %d values", uncompressed, n)
		}
		return nil
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		values = int64(h.DataPageHeader.V.NumValues)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		v := &h.DataPageHeaderV2.V
		values = int64(v.NumValues)
		if v.RepetitionLevelsByteLength < 0 || v.DefinitionLevelsByteLength < 0 ||
			int64(v.RepetitionLevelsByteLength)+int64(v.DefinitionLevelsByteLength) > min(compressed, uncompressed) {
			return fmt.Errorf("a page of %d bytes has levels of %d and %d", compressed, v.RepetitionLevelsByteLength, v.DefinitionLevelsByteLength)
		}
	default:
		return fmt.Errorf("a page is of the kind %s, without its header", h.Type)
	}
	most := p.chunk.rows
	if p.rep > 0 {
		most = p.chunk.meta.NumValues
	}
	if values < 0 || values > most {
		return fmt.Errorf("a page says that it has %d values, and its row group has %d", values, most)
	}
	return nil
}

// smallest returns the least size of a value of a dictionary, in bits.
func (p *pages) smallest() int64 {
	switch p.kind {
	case parquet.Boolean:
		return 1
	case parquet.ByteArray:
		return 32
	case parquet.FixedLenByteArray:
		return max(int64(p.size)*8, 1)
	}
	return int64(widths[p.kind]) * 8
}

// body reads the bytes of a page. They are valid until the next read.
func (p *pages) body(h *format.PageHeader) (b []byte, err error) {
	size := int(h.CompressedPageSize)
	if size <= p.in.Size() {
		if b, err = p.in.Peek(size); err == nil {
			_, err = p.in.Discard(size)
		}
	} else {
		p.packed = buffer(p.packed, size)
		b = p.packed
		_, err = io.ReadFull(p.in, b)
	}
	if err != nil {
		return nil, fmt.Errorf("read page: %w", noEOF(err))
	}
	if sum := crc32.ChecksumIEEE; h.CRC != 0 && sum(b) != uint32(h.CRC) {
		return nil, fmt.Errorf("a page has the checksum %08x, and its header says %08x", sum(b), uint32(h.CRC))
	}
	return b, nil
}

// buffer returns a slice of n bytes with some room behind them (unpackInts).
func buffer(b []byte, n int) []byte {
	if cap(b) < n+32 {
		return make([]byte, n, n+n/4+32)
	}
	return b[:n]
}

// unpack decompresses src into to, to exactly n bytes.
func (p *pages) unpack(to *[]byte, src []byte, n int) ([]byte, error) {
	if p.chunk.meta.Codec == format.Uncompressed {
		return src, nil
	}
	*to = buffer(*to, n)
	have, err := decompress(p.chunk.meta.Codec, *to, src)
	switch {
	case err != nil:
		return nil, fmt.Errorf("decompress page: %w", err)
	case have != n:
		return nil, fmt.Errorf("a page unpacks to %d bytes, and its header says %d", have, n)
	}
	return *to, nil
}

// plainDictionary is an old name: of PLAIN in dictionaries, of RLE_DICTIONARY in
// data pages.
const plainDictionary format.Encoding = 2

// dictionary reads a dictionary page.
func (p *pages) dictionary(h *format.PageHeader, packed []byte) error {
	v := &h.DictionaryPageHeader.V
	if p.dictSize >= 0 {
		return errors.New("a column chunk has two dictionaries")
	}
	raw, err := p.unpack(&p.dictRaw, packed, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	if p.chunk.meta.Codec == format.Uncompressed {
		p.dictRaw = append(p.dictRaw[:0], raw...) // its values outlive the page
		raw = p.dictRaw
	}
	if v.Encoding != format.Plain && v.Encoding != plainDictionary {
		return notRead(v.Encoding, p.kind)
	}
	p.dictSize, p.dictNew = int(v.NumValues), true
	return p.dict.decode(p.kind, p.size, format.Plain, raw, p.dictSize)
}

// dataV1 reads a data page of version 1: levels and values are compressed
// together, levels have their length in front.
func (p *pages) dataV1(h *format.PageHeader, packed []byte) error {
	v := &h.DataPageHeader.V
	raw, err := p.unpack(&p.raw, packed, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	var levels [2][]byte
	for i, of := range [2]struct {
		most     byte
		encoding format.Encoding
	}{{p.rep, v.RepetitionLevelEncoding}, {p.def, v.DefinitionLevelEncoding}} {
		if of.most == 0 {
			continue
		}
		if of.encoding != format.RLE {
			return &FormatError{Found: fmt.Sprintf("it has levels of the encoding %s, which is not read", of.encoding),
				Advice: "Write it with levels of the encoding RLE."}
		}
		if levels[i], raw, err = prefixed(raw); err != nil {
			return err
		}
	}
	return p.data(v.Encoding, int(v.NumValues), levels, raw)
}

// dataV2 reads a data page of version 2: levels are never compressed, and their
// lengths stand in the header.
func (p *pages) dataV2(h *format.PageHeader, packed []byte) (err error) {
	v := &h.DataPageHeaderV2.V
	rep, def := int(v.RepetitionLevelsByteLength), int(v.DefinitionLevelsByteLength)
	levels := [2][]byte{packed[:rep], packed[rep : rep+def]}
	raw := packed[rep+def:]
	if !v.IsCompressed.Valid || v.IsCompressed.V {
		if raw, err = p.unpack(&p.raw, raw, int(h.UncompressedPageSize)-rep-def); err != nil {
			return err
		}
	}
	return p.data(v.Encoding, int(v.NumValues), levels, raw)
}

// data reads the levels and the values of a page of n values and nulls.
func (p *pages) data(e format.Encoding, n int, levels [2][]byte, raw []byte) error {
	g := &p.page
	g.n, g.values, g.def, g.rep, g.indexed = n, n, nil, nil, false
	if p.rep > 0 {
		p.levels[0] = room(p.levels[0], n)
		g.rep = p.levels[0]
		if err := decodeBytes(g.rep, levels[0], levelWidth(p.rep)); err != nil {
			return err
		}
	}
	if p.def > 0 {
		p.levels[1] = room(p.levels[1], n)
		if err := decodeBytes(p.levels[1], levels[1], levelWidth(p.def)); err != nil {
			return err
		}
		if g.values = count(p.levels[1], p.def); g.values < n {
			g.def = p.levels[1]
		}
	}
	if e != format.RLEDictionary && e != plainDictionary {
		return g.data.decode(p.kind, p.size, e, raw, g.values)
	}
	g.indexed = true
	g.indexes = room(g.indexes, g.values)
	if g.values == 0 {
		return nil
	}
	if p.dictSize < 0 {
		return errors.New("a page needs a dictionary, and the column has none")
	}
	if len(raw) == 0 {
		return errRuns
	}
	return decodeIndexes(g.indexes, raw[1:], uint(raw[0]), p.dictSize)
}
