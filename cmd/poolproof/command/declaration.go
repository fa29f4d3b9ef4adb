package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A declaration is a command with the text and the flags that its --help prints. The
// completions and the manual page are made from it.
type declaration struct {
	command
	help  string
	flags flagSet
}

// declarations asks every command for its help.
func declarations(ctx context.Context) []declaration {
	var all []declaration
	for _, c := range commands() {
		d := declaration{command: c}
		env := &environment{stdout: io.Discard, stderr: io.Discard, describe: func(help string, f flagSet) { d.help, d.flags = help, f }}
		_ = c.run(ctx, env, []string{"--help"}) // pflag.ErrHelp
		all = append(all, d)
	}
	return all
}

// wordsKey is the annotation of a flag that takes one of some words.
const wordsKey = "words"

// takes declares the words that a flag takes.
func takes(f flagSet, name string, words []string) {
	if err := f.SetAnnotation(name, wordsKey, words); err != nil {
		panic(err) // a flag that is not declared
	}
}

// What stands behind a flag, for a shell to complete.
type operand int

const (
	nothing   operand = iota
	anything          // a number, a time, a name
	oneWord           // one of words
	file              // or several
	directory         // a run or a trace
)

// An option is a flag as shells and manuals show it.
type option struct {
	name, shorthand string
	usage, operand  string // operand by its name; "" of a switch
	takes           operand
	words           []string
	repeatable      bool
	byDefault       string // "" if that says nothing
}

// options are the flags of a command in the order of its help, and --help.
func (d *declaration) options() (options []option) {
	d.flags.VisitAll(func(f *pflag.Flag) {
		o := option{name: f.Name, shorthand: f.Shorthand, words: f.Annotations[wordsKey]}
		o.operand, o.usage = pflag.UnquoteUsage(f)
		o.usage = strings.Join(strings.Fields(o.usage), " ")
		o.repeatable = strings.HasSuffix(f.Value.Type(), "Array") || strings.HasSuffix(f.Value.Type(), "Slice")
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			o.byDefault = f.DefValue
		}
		switch {
		case f.NoOptDefVal != "":
			o.operand = ""
		case len(o.words) > 0:
			o.takes = oneWord
		case strings.HasPrefix(o.operand, "FILE"):
			o.takes = file
		case o.operand == "RUN" || o.operand == "TRACE":
			o.takes = directory
		default:
			o.takes = anything
		}
		options = append(options, o)
	})
	return append(options, option{name: "help", shorthand: "h", usage: "explain the command"})
}

// spellings are the ways to write an option.
func (o *option) spellings() []string {
	if o.shorthand == "" {
		return []string{"--" + o.name}
	}
	return []string{"--" + o.name, "-" + o.shorthand}
}

// hint is the first clause of the usage, for a line of a shell.
func (o *option) hint() string {
	end := len(o.usage)
	for _, stop := range []string{"; ", ". ", " (default"} {
		if at := strings.Index(o.usage, stop); at > 0 {
			end = min(end, at)
		}
	}
	return o.usage[:end]
}
