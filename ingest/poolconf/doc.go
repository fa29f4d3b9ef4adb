// Package poolconf reads configurations of pools: a small one for imports of
// logs that carry none, which says what pools there are and what each is
// promised; a cluster's own, as it is exported (ParseDocument); and the rows of
// a trace, which it turns into the attributes that core/pooltree judges
// (TreeAttributes, PoolAttributes).
//
// The file of an import is YAML or JSON. Options have the names, aliases and
// units of the user documentation (core/spec/scheduling.md §3.1, §3.2): durations are
// integers in milliseconds, cpu is in cores, memory in bytes. Pools nest under
// pools:
//
//	main_resource: cpu
//	pools:
//	  prod:
//	    weight: 3
//	    strong_guarantee_resources: {cpu: 100}
//	    pools:
//	      etl: {mode: fifo, max_running_operation_count: 4}
//	  batch: {resource_limits: {cpu: 400}}
//
// That describes every tree of the import. To tell trees apart, put such
// descriptions under trees:
//
//	trees:
//	  physical: {pools: {prod: {weight: 3}}}
//	  gpu: {main_resource: gpu}
//
// Beside them nodes may be listed, with tags and resource_limits, for those who
// judge a file by itself; an import has its nodes from the log:
//
//	nodes: {n1: {tags: [gpu], resource_limits: {cpu: 64}}}
//
// An importer reads the file, gives each of Pools a number, and takes the rows
// that TreeRow and PoolRows make of it.
//
// An import takes nothing on trust: an unknown option, a value of another
// type or outside its range, an alias beside its option, a pool named twice and
// the shapes that core/spec/scheduling.md §4.1 and §4.2 forbid are errors that name
// file and line and say what is allowed. It does not check guarantees against
// each other (§4.3). A Document is not judged at all: it holds what is there,
// with the lines, for pooltree.Lint. YAML's anchors, aliases and tags are
// refused: they save typing and hide what a pool is promised.
package poolconf
