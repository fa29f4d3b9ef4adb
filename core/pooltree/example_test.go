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

// A store refuses what breaks a rule, by its name.
func ExampleStore() {
	store := pooltree.NewStore(pooltree.Documented)
	fmt.Println(store.CreateTree("physical", nil))
	fmt.Println(store.CreatePool("physical", "queue", "", pooltree.Attributes{"mode": "fifo"}, pooltree.Administrator))
	fmt.Println(store.CreatePool("physical", "child", "queue", nil, pooltree.Administrator))
	fmt.Println(store.Set("physical", "queue", "scheduling_tag_filter", "gpu & "))
	// Output:
	// <nil>
	// <nil>
	// tree physical: pool child: a FIFO pool cannot have child pools (its parent queue is one)
	// tree physical: pool queue: scheduling_tag_filter: the value is no formula of tags (position 7: expected a tag, %true, %false, ! or (, found the end of the formula)
}
