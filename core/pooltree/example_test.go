package pooltree_test

import (
	"fmt"

	"poolproof/core/pooltree"
)

// Two operations run in a pool of two; a third waits until one leaves.
func Example() {
	config, errs := pooltree.ParsePool(pooltree.Documented, pooltree.Attributes{"max_running_operation_count": 2})
	if len(errs) > 0 {
		panic(errs[0])
	}
	tree := pooltree.NewTree("physical", pooltree.Documented)
	tree.Apply(pooltree.Change{Definition: pooltree.Definition{Name: "prod", Config: config}})

	var operations []pooltree.Operation
	for range 3 {
		o, err := tree.Start(pooltree.Request{User: "alice", Pool: "prod"})
		if err != nil {
			panic(err)
		}
		operations = append(operations, o)
	}
	last := operations[2]
	fmt.Println("runs:", tree.IsRunning(last), "waits for:", tree.PoolName(tree.Queue(last)))

	tree.Finish(operations[0])
	prod, _ := tree.Find("prod")
	fmt.Printf("runs: %v, pool: %+v\n", tree.IsRunning(last), tree.Counts(prod))
	// Output:
	// runs: false waits for: prod
	// runs: true, pool: {Operations:2 Running:2 Lightweight:0}
}
