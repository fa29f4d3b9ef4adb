package command

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"poolproof/cmd/poolproof/exit"
)

const manHelp = `
Print the manual page poolproof(1): all commands with their help and flags.

Example:
  poolproof man > poolproof.1

usage: poolproof man
`

func manCommand(ctx context.Context, env *environment, args []string) error {
	if _, err := parse(newFlags(env, "man", manHelp), args); err != nil {
		return err
	}
	date := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		date, _, _ = strings.Cut(buildOf(info).Date, "T")
	}
	manPage(env.stdout, declarations(ctx), date)
	return nil
}

// manPage writes the page with the macros of man(7). The help texts stand in it as they
// are: their paragraphs are filled, what they indent is not.
func manPage(w io.Writer, all []declaration, date string) {
	fmt.Fprintf(w, ".TH POOLPROOF 1 %q \"poolproof %s\"\n", date, version)
	fmt.Fprint(w, ".nh\n.ad l\n.SH NAME\npoolproof \\- audit a fair\\-share scheduler by its own logs\n.SH SYNOPSIS\n")
	for i, d := range all {
		if i > 0 {
			fmt.Fprintln(w, ".br")
		}
		fmt.Fprintf(w, ".B poolproof %s\n%s\n", manText(d.name), manText(strings.TrimSpace(d.usage+" [flags]")))
	}
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	manHelpText(w, purposeHelp)
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, d := range all {
		fmt.Fprintf(w, ".SS poolproof %s\n", manText(d.name))
		manHelpText(w, d.help)
		for _, o := range d.options() {
			manOption(w, &o)
		}
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n")
	for _, e := range exit.Meanings {
		fmt.Fprintf(w, ".TP\n.B %d\n%s.\n", e.Code, manText(e.Meaning))
	}
}

// manOption writes a flag as an item of a list.
func manOption(w io.Writer, o *option) {
	var spelled []string
	for _, s := range o.spellings() {
		spelled = append(spelled, `\fB`+manText(s)+`\fR`)
	}
	item := strings.Join(spelled, ", ")
	if o.operand != "" {
		item += ` \fI` + manText(o.operand) + `\fR`
	}
	usage := o.usage
	if o.byDefault != "" {
		usage += " (default " + o.byDefault + ")"
	}
	fmt.Fprintf(w, ".TP\n%s\n%s\n", item, manText(usage))
}

// manHelpText writes a help text.
func manHelpText(w io.Writer, help string) {
	literal, apart := false, false
	for line := range strings.Lines(strings.Trim(help, "\n")) {
		line = strings.TrimRight(line, "\n")
		if line == "" {
			apart = true
			continue
		}
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "usage:")
		if literal && !indented {
			fmt.Fprint(w, ".EE\n")
		}
		switch {
		case apart && literal && indented:
			fmt.Fprint(w, "\n")
		case apart:
			fmt.Fprint(w, ".PP\n")
		}
		if indented && !literal {
			fmt.Fprint(w, ".EX\n")
		}
		literal, apart = indented, false
		fmt.Fprintln(w, manText(line))
	}
	if literal {
		fmt.Fprint(w, ".EE\n")
	}
}

var manEscapes = strings.NewReplacer(`\`, `\(rs`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, `"`, `\(dq`)

// manText is a text as roff reads it literally, in ASCII.
func manText(text string) string {
	var b strings.Builder
	for _, r := range manEscapes.Replace(text) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	if escaped := b.String(); !strings.HasPrefix(escaped, ".") {
		return escaped
	}
	return `\&` + b.String()
}
