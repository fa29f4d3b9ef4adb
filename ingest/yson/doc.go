// Package yson reads YSON, the vendor's own format of values, text and binary
// alike, even mixed in one document.
//
// A value is a string (of any bytes), an int64, a uint64, a double, a boolean, an
// entity (#), a list, or a map; any value may have attributes, which are a map in
// front of it:
//
//	<default_tree=physical>{physical={weight=1.5; slots=12u; tags=[a; b]; off=%false}}
//
// Binary scalars begin with a mark from 0x01 to 0x06 and may stand wherever a text
// one may (ingest/trace/FORMAT.md §2). Files of rows are list fragments: values with
// semicolons between them.
//
// A Decoder splits values in memory into tokens. A Reader does so
// with the records of a stream, and continues after a damaged one. Neither allocates
// per token: strings are slices of the input or of a buffer that is reused.
//
// The package accepts what the vendor's parser accepts, except for YPath literals,
// and refuses what that refuses. It does not check for duplicate keys of a map.
package yson
