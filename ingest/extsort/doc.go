// Package extsort sorts more records than memory holds.
//
//	s := extsort.New(extsort.Options{Memory: 256 << 20, Scratch: dir})
//	defer s.Close()
//	s.Add(record)
//	...
//	s.Finish()
//	for it := s.Scan(prefix); it.Next(); {
//		use(it.Record())
//	}
//
// A record is a string of bytes, and records are ordered byte by byte. The first
// PrefixBytes of a record say to which group it belongs; a group is read alone,
// and as often as wanted. Equal records are one: a log that is read twice is held
// once.
//
// Records wait in one buffer. When it is full they are sorted and written to a
// run, a compressed file in the folder Scratch; a scan merges the runs. Runs that
// become many are merged into fewer on the way, so that the number of files grows
// with the logarithm of what is sorted. The order does not depend on how the records
// came.
package extsort
