// Package anonymize copies a trace with other names in it, so that it can be given away.
//
// The names of the cluster, of trees, pools, users, operations, jobs, nodes, tags, data
// centers, presets and media are replaced: pool-07, user-3, node-012. The same name has the
// same replacement wherever it stands: in every table, in formulas of tags and in the options
// of config_json and spec_json. A name that is both, as that of a user and of a pool, stays one
// name. A user's subpool, adhoc$anna, is replaced part by part. Within a kind the replacements
// stand in random order, or in one that follows from a key. What is wrong with a name itself, as a pool's that no pool may
// have, is gone with it.
//
// What is kept: times, numbers, amounts and shares; the structure of pools and trees; the words
// that the format declares (trace.Words), as states, modes, reasons and the types of operations; the options that
// package pooltree knows, in their places.
//
// What is left out: titles, aliases, annotations, messages of errors, explanations, the rest of
// specs, options that no rule reads, values of problems, what the manifest says of sources and
// in notes.
//
// It does not hide what times and amounts give away: who knows the cluster may recognise it.
package anonymize
