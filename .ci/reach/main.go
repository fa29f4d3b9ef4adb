// Command reach prints the functions and methods of a module that its command does not reach: of
// other tools none sees methods, since reflection may call any.
//
// A method that an interface calls is reached if a value of its type may be in it, and if the type
// was converted to an interface that asks for it. Of reflection three uses are known: the method
// names of encodings and of errors.As, and the names in templates.
//
// Usage: reach DIRECTORY COMMAND, the directory of the module and the package of the command in it
package main

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// byReflection are names of methods that encodings, fmt and errors.As call.
var byReflection = []string{"Error", "String", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "BadInput"}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "reach:", err)
		os.Exit(2)
	}
}

func run(dir, command string) error {
	roots, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir}, command)
	if err != nil {
		return err
	}
	if n := packages.PrintErrors(roots); n > 0 {
		return fmt.Errorf("%d errors in packages", n)
	}
	module := roots[0].Module.Path
	program, _ := ssautil.AllPackages(roots, ssa.InstantiateGenerics)
	program.Build()
	all := ssautil.AllFunctions(program)
	s := search{program: program, graph: vta.CallGraph(all, nil), reached: map[*ssa.Function]bool{}}
	if s.inTemplates, err = namesInTemplates(dir); err != nil {
		return err
	}
	for _, p := range program.AllPackages() {
		s.visit(p.Func("init"))
		if p.Pkg.Name() == "main" {
			s.visit(p.Func("main"))
		}
	}
	for f := range all {
		if f.Signature.Recv() != nil && isOf(f, module) && s.isCalledByName(f.Name()) {
			s.visit(f)
		}
	}
	s.follow()

	// Of a generic function each instance has the position of its origin.
	known := map[token.Pos]bool{}
	for f := range s.reached {
		known[f.Pos()] = true
	}
	var lines []string
	for f := range all {
		if isOf(f, module) && f.Parent() == nil && (f.Synthetic == "" || f.Origin() != nil) && !known[f.Pos()] {
			known[f.Pos()] = true
			lines = append(lines, name(f, module))
		}
	}
	slices.Sort(lines)
	for _, l := range lines {
		fmt.Println(l)
	}
	return nil
}

// A search finds the functions that are reached.
type search struct {
	program     *ssa.Program
	graph       *callgraph.Graph
	inTemplates map[string]bool
	reached     map[*ssa.Function]bool
	todo        []*ssa.Function
}

func (s *search) visit(f *ssa.Function) {
	if f != nil && !s.reached[f] {
		s.reached[f] = true
		s.todo = append(s.todo, f)
	}
}

func (s *search) isCalledByName(method string) bool {
	return slices.Contains(byReflection, method) || s.inTemplates[method]
}

// follow visits what the visited functions call, use as values, and convert to interfaces.
func (s *search) follow() {
	for len(s.todo) > 0 {
		f := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if n := s.graph.Nodes[f]; n != nil {
			for _, call := range n.Out {
				s.visit(call.Callee.Func)
			}
		}
		for _, closure := range f.AnonFuncs {
			s.visit(closure)
		}
		for _, b := range f.Blocks {
			for _, instruction := range b.Instrs {
				s.visitOperands(instruction)
			}
		}
	}
}

func (s *search) visitOperands(instruction ssa.Instruction) {
	for _, operand := range instruction.Operands(nil) {
		if f, ok := (*operand).(*ssa.Function); ok {
			s.visit(f)
		}
	}
	conversion, ok := instruction.(*ssa.MakeInterface)
	if !ok {
		return
	}
	asked := conversion.Type().Underlying().(*types.Interface)
	methods := s.program.MethodSets.MethodSet(conversion.X.Type())
	for i := range asked.NumMethods() {
		m := asked.Method(i)
		if selection := methods.Lookup(m.Pkg(), m.Name()); selection != nil {
			s.visit(s.program.MethodValue(selection))
		}
	}
}

// namesInTemplates returns the names after a dot in the templates below a directory.
func namesInTemplates(dir string) (map[string]bool, error) {
	names := map[string]bool{}
	afterDot := regexp.MustCompile(`\.([A-Z]\w*)`)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".html", ".tmpl"}, filepath.Ext(path)) || !strings.Contains(path, "/page/") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range afterDot.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	return names, err
}

func isOf(f *ssa.Function, module string) bool {
	p := cmp.Or(f.Origin(), f).Pkg
	return p != nil && strings.HasPrefix(p.Pkg.Path(), module+"/")
}

// name is that of a function as it is declared: core/pooltree.Tree.Finish.
func name(f *ssa.Function, module string) string {
	bare := strings.NewReplacer("(", "", ")", "", "*", "").Replace(cmp.Or(f.Origin(), f).String())
	return strings.TrimPrefix(bare, module+"/")
}
