package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"poolproof/core/spelling"
)

const completionHelp = `
Print the completion script of a SHELL: bash, zsh or fish. It completes commands,
flags, their words, files and directories.

Examples:
  poolproof completion bash > poolproof.bash
  poolproof completion zsh > _poolproof
  poolproof completion fish > poolproof.fish

For one session of bash: source <(poolproof completion bash). To keep it, put the file
into /usr/share/bash-completion/completions as poolproof, into a folder of zsh's fpath
as _poolproof, or into ~/.config/fish/completions as poolproof.fish.

usage: poolproof completion SHELL
`

var shells = []string{"bash", "zsh", "fish"}

func completionCommand(ctx context.Context, env *environment, args []string) error {
	positional, err := parse(newFlags(env, "completion", completionHelp), args, "SHELL")
	if err != nil {
		return err
	}
	all := declarations(ctx)
	switch shell := positional[0]; shell {
	case "bash":
		completeBash(env.stdout, all)
	case "zsh":
		completeZsh(env.stdout, all)
	case "fish":
		completeFish(env.stdout, all)
	default:
		return usagef("unknown shell %q; %s", shell, spelling.Meant(shell, shells))
	}
	return nil
}

// commandNames are the commands, and help.
func commandNames(all []declaration) []string {
	names := []string{}
	for _, d := range all {
		names = append(names, d.name)
	}
	return append(names, "help")
}

// firstWords returns the possible first arguments of commands that take a word.
func firstWords(all []declaration) map[string][]string {
	return map[string][]string{"import": formatNames(), "completion": shells, "help": commandNames(all)}
}

// shellQuoted is a text as bash, zsh and fish read it literally.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'" }

// shellWords are words as one text that a shell splits again.
func shellWords(words []string) string { return shellQuoted(strings.Join(words, " ")) }

// completeBash writes a function that looks at the command, the first word, and at the
// word before the one to complete.
func completeBash(w io.Writer, all []declaration) {
	fmt.Fprintf(w, `# Completion of poolproof %s for bash, made from its flags.

_poolproof_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_poolproof_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "$1" -- "$cur"); }

_poolproof() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags='' first=''
	# Readline takes --flag=word apart.
	if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then _poolproof_words %s; return; fi
	case ${COMP_WORDS[1]} in
`, version, shellWords(append(commandNames(all), "--help", "--version")))
	words := firstWords(all)
	for _, d := range all {
		fmt.Fprintf(w, "\t%s)\n", d.name)
		var flags []string
		fmt.Fprintf(w, "\t\tcase $prev in\n")
		for _, o := range d.options() {
			flags = append(flags, "--"+o.name)
			action := ""
			switch o.takes {
			case nothing:
				continue
			case anything:
				action = "return"
			case oneWord:
				action = "_poolproof_words " + shellWords(o.words) + "; return"
			case file:
				action = "_poolproof_files -f; return"
			case directory:
				action = "_poolproof_files -d; return"
			}
			fmt.Fprintf(w, "\t\t%s) %s ;;\n", strings.Join(o.spellings(), "|"), action)
		}
		fmt.Fprintf(w, "\t\tesac\n\t\tflags=%s first=%s ;;\n", shellWords(flags), shellWords(words[d.name]))
	}
	fmt.Fprintf(w, "\thelp) first=%s ;;\n", shellWords(words["help"]))
	fmt.Fprint(w, `	esac
	if [[ $cur == -* ]]; then
		_poolproof_words "$flags"
	elif [[ -n $first ]] && ((COMP_CWORD == 2)); then
		_poolproof_words "$first"
	else
		_poolproof_files -f
	fi
}
complete -F _poolproof poolproof
`)
}

// zshText is a text within the brackets of an option.
var zshText = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `:`, `\:`)

// completeZsh writes the specifications of _arguments.
func completeZsh(w io.Writer, all []declaration) {
	fmt.Fprintf(w, `#compdef poolproof
# Completion of poolproof %s for zsh, made from its flags.

_poolproof() {
  local context state state_descr line
  local -a commands
  typeset -A opt_args
  commands=(
`, version)
	for _, d := range all {
		fmt.Fprintf(w, "    %s\n", shellQuoted(d.name+":"+zshText.Replace(d.summary)))
	}
	fmt.Fprint(w, `    'help:explain a command'
  )
  _arguments -C '(- *)'{-h,--help}'[list the commands]' '(- *)--version[tell the version]' \
    '1:command:->command' '*:::argument:->argument'
  case $state in
  command) _describe -t commands 'command' commands ;;
  argument)
    words=($line[1] "${words[@]}")
    (( CURRENT += 1 ))
    case $line[1] in
`)
	words := firstWords(all)
	for _, d := range all {
		fmt.Fprintf(w, "    %s)\n      _arguments", d.name)
		for _, o := range d.options() {
			repeat, action := "", ""
			if o.repeatable {
				repeat = "*"
			}
			switch o.takes {
			case anything:
				action = " "
			case oneWord:
				action = "(" + strings.Join(o.words, " ") + ")"
			case file:
				action = "_files"
			case directory:
				action = "_files -/"
			}
			for _, spelled := range o.spellings() {
				value := ""
				if o.takes != nothing {
					value = ":" + zshText.Replace(o.operand) + ":" + action
					spelled += map[bool]string{true: "=", false: "+"}[strings.HasPrefix(spelled, "--")]
				}
				fmt.Fprintf(w, " \\\n        %s", shellQuoted(repeat+spelled+"["+zshText.Replace(o.hint())+"]"+value))
			}
		}
		if first := words[d.name]; len(first) > 0 {
			fmt.Fprintf(w, " \\\n        %s", shellQuoted("1:word:("+strings.Join(first, " ")+")"))
		}
		fmt.Fprint(w, " \\\n        '*:file:_files' ;;\n")
	}
	fmt.Fprintf(w, `    help) _arguments '1:command:(%s)' ;;
    esac ;;
  esac
}

if [[ $funcstack[1] == _poolproof ]]; then _poolproof "$@"; else compdef _poolproof poolproof; fi
`, strings.Join(words["help"], " "))
}

// fishText is a text in single quotes.
var fishText = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// completeFish writes a line for each command and each of its flags.
func completeFish(w io.Writer, all []declaration) {
	fmt.Fprintf(w, `# Completion of poolproof %s for fish, made from its flags.

function __poolproof_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end

function __poolproof_first
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test $words[2] = $argv[1]
end

function __poolproof_none
    test (count (commandline -opc)) -eq 1
end

complete -c poolproof -n __poolproof_none -f
complete -c poolproof -n __poolproof_none -s h -l help -d 'list the commands'
complete -c poolproof -n __poolproof_none -l version -d 'tell the version'
`, version)
	words := firstWords(all)
	for _, d := range all {
		fmt.Fprintf(w, "\ncomplete -c poolproof -n __poolproof_none -a %s -d '%s'\n", d.name, fishText.Replace(d.summary))
		if first := words[d.name]; len(first) > 0 {
			fmt.Fprintf(w, "complete -c poolproof -n '__poolproof_first %s' -f -a '%s'\n", d.name, strings.Join(first, " "))
		}
		for _, o := range d.options() {
			fmt.Fprintf(w, "complete -c poolproof -n '__poolproof_command %s' -l %s", d.name, o.name)
			if o.shorthand != "" {
				fmt.Fprintf(w, " -s %s", o.shorthand)
			}
			switch o.takes {
			case anything:
				fmt.Fprint(w, " -x")
			case oneWord:
				fmt.Fprintf(w, " -x -a '%s'", strings.Join(o.words, " "))
			case file:
				fmt.Fprint(w, " -r -F")
			case directory:
				fmt.Fprint(w, " -x -a '(__fish_complete_directories)'")
			}
			fmt.Fprintf(w, " -d '%s'\n", fishText.Replace(o.hint()))
		}
	}
	fmt.Fprintf(w, `
complete -c poolproof -n __poolproof_none -a help -d 'explain a command'
complete -c poolproof -n '__poolproof_first help' -f -a '%s'
`, strings.Join(words["help"], " "))
}
