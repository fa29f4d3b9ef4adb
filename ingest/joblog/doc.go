// Package joblog writes a log of whole jobs as a trace.
//
// Many systems log one record per job: when it was submitted, when it started
// and ended, what it was given, and at best on which nodes. Such a log becomes
// a trace by one set of rules, whatever its format:
//
//   - a job of the log is an operation, its stay on one node is a job of it;
//   - nothing holds an operation back but the lack of resources, so it is
//     running from its submission on, and from then until its start it demands
//     what it was given, or asked for if it never started; a log that records when
//     operations wait and run (Log.Turns) is followed instead;
//   - where the log says on which nodes jobs ran, the heartbeats that carried a
//     start or an end are reconstructed (ingest/trace/FORMAT.md §4.3), nodes
//     that reported nothing new are not;
//   - pools that the log implies exist without settings; a configuration file
//     (package poolconf) can give them some.
//
// An importer reads its format into a Log and calls Write. Operations are not
// held in memory here: the importer answers for each by index, so that it can
// keep them as compactly as its format allows. What Write holds is about a
// hundred bytes per job, for sorting by start; logs of some millions of jobs
// fit easily.
//
// # Ends and ties
//
// A log in whole seconds has jobs of zero length. The order of causes puts the
// end of an operation and of a job before the start of a job of the same
// instant, so Moment, one microsecond, is added to the end of such a job. That
// is far below the precision that the manifest states.
//
// An operation that ends without having started has no demand row at its end:
// its end takes the demand away, and comes before demand in the order of
// causes.
//
// The package does not judge records. An importer decides what is dirty and
// hands it over as Problems.
package joblog
