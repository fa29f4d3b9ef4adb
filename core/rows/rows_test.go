package rows

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

type optional[T any] struct {
	Value T
	Set   bool
}

type amounts struct {
	CPU    int64 `col:"cpu" enc:"dict" doc:"cores"`
	Memory int64 `col:"memory" enc:"dict" doc:"bytes"`
}

type stamp struct {
	Seq int64 `col:"seq" doc:"number"`
}

type row struct {
	stamp
	Name  optional[string]   `col:"name" doc:"its name"`
	Usage amounts            `col:"usage" enc:"memory=delta" doc:"what it uses."`
	After optional[amounts]  `col:"after" doc:"what it uses later"`
	Value struct{ A, B int } `col:"value" doc:"not columns"`
}

func TestColumnsOfAStruct(t *testing.T) {
	var got []string
	for _, c := range Of(reflect.TypeFor[row]()) {
		got = append(got, fmt.Sprintf("%s %s null=%t enc=%s: %s", c.Name, c.Type, c.Nullable, c.Tag("enc"), c.Doc))
	}
	want := []string{
		"seq int64 null=false enc=: number",
		"name string null=true enc=: its name",
		"usage_cpu int64 null=false enc=dict: what it uses: cores",
		"usage_memory int64 null=false enc=delta: what it uses: bytes",
		"after_cpu int64 null=true enc=dict: what it uses later: cores",
		"after_memory int64 null=true enc=dict: what it uses later: bytes",
		"value struct { A int; B int } null=false enc=: not columns",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestColumnsLieWhereTheFieldsAre(t *testing.T) {
	r := row{After: optional[amounts]{Value: amounts{Memory: 7}, Set: true}}
	c := Of(reflect.TypeFor[row]())[5]
	at := unsafe.Pointer(&r)
	if got := *(*int64)(unsafe.Add(at, c.Offset)); got != 7 || !*(*bool)(unsafe.Add(at, c.Set)) {
		t.Errorf("%s is %d, want 7", c.Name, got)
	}
}

func TestOptionalTwiceIsRefused(t *testing.T) {
	defer func() {
		if err := recover(); err != "column a_b is optional twice" {
			t.Errorf("got %v", err)
		}
	}()
	Of(reflect.TypeFor[struct {
		A optional[struct {
			B optional[bool] `col:"b"`
		}] `col:"a"`
	}]())
}
