// Package poolconf reads a small pool configuration for imports of logs that
// carry none: which pools there are, and what each is promised.
//
// The file is YAML or JSON. Options have the names, aliases and units of the
// user documentation (spec/scheduling.md §3.1, §3.2): durations are integers in
// milliseconds, cpu is in cores, memory in bytes. Pools nest under pools:
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
// An importer reads the file, gives each of Pools a number, and takes the rows
// that TreeRow and PoolRows make of it.
//
// The package takes nothing on trust: an unknown option, a value of another
// type or outside its range, an alias beside its option, a pool named twice and
// the shapes that spec/scheduling.md §4.1 and §4.2 forbid are errors that name
// file and line and say what is allowed. It does not check guarantees against
// each other (§4.3). YAML's anchors, aliases and tags are refused: they save
// typing and hide what a pool is promised.
package poolconf
