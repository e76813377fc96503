# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of the tools of ovniscope in bash.
#
# It knows no option: what is there, and what an argument is, is read from "TOOL --help",
# which is asked once in a shell. Installed once under the name of each tool.

declare -gA _ovniscope_asked

# The help of a command, in _ovniscope_text: also that of its parts, --help-NAME.
_ovniscope_help() {
	local key="$*" part
	if [[ -z ${_ovniscope_asked[$key]+x} ]]; then
		_ovniscope_asked[$key]=$("$@" --help 2>/dev/null </dev/null)
		for part in $(sed -n 's/^ *\(--help-[a-z]*\) .*/\1/p' <<<"${_ovniscope_asked[$key]}"); do
			_ovniscope_asked[$key]+=$'\n'$("$@" "$part" 2>/dev/null </dev/null)
		done
	fi
	_ovniscope_text=${_ovniscope_asked[$key]}
}

# Reads the options of _ovniscope_text: their names, in order, to _ovniscope_names, and what
# they take to _ovniscope_takes: nothing, or the word behind '='.
_ovniscope_options() {
	local line name arg
	local form='^ {2,6}(--?[A-Za-z0-9][A-Za-z0-9-]*(, --[A-Za-z0-9][A-Za-z0-9-]*)?)(=([^ ]+)| ([A-Z]+)(  |$))?'
	_ovniscope_names=()
	_ovniscope_takes=()
	while IFS= read -r line; do
		[[ $line =~ $form ]] || continue
		arg=${BASH_REMATCH[4]:-${BASH_REMATCH[5]}}
		for name in ${BASH_REMATCH[1]//, / }; do
			_ovniscope_names+=("$name")
			_ovniscope_takes[$name]=$arg
		done
	done <<<"$_ovniscope_text"
}

# The names of the models: some tool lists them in its help.
_ovniscope_models() {
	local dir=
	if [[ $_ovniscope_text != *Models:* ]]; then
		[[ $1 == */* ]] && dir=${1%/*}/
		_ovniscope_help "${dir}ovnievents"
	fi
	awk '/^Models:/ { on = 1; sub("Models:", "") } on { print } on && !/,$/ { exit }' <<<"$_ovniscope_text" |
		tr ',' '\n' | awk '{ print $1 }'
}

# Fills COMPREPLY with what an argument may be: COMMAND KIND WORD
_ovniscope_values() {
	local kind=$2 word=$3
	case $kind in
	*'|'*)
		mapfile -t COMPREPLY < <(compgen -W "${kind//|/ }" -- "$word")
		;;
	*DIR)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		;;
	*FILE* | *UBIN* | *PATH*)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		;;
	NAME)
		mapfile -t COMPREPLY < <(compgen -W "$(_ovniscope_models "$1")" -- "$word")
		# An option that takes the name of a model takes a file of one, too.
		if [[ $word == */* ]]; then
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		;;
	esac
}

_ovniscope() {
	local word=${COMP_WORDS[COMP_CWORD]} before= command usage i w
	local -a _ovniscope_names
	local -A _ovniscope_takes
	local _ovniscope_text
	COMPREPLY=()
	command=(${COMP_WORDS[0]/#\~/$HOME})

	# Readline takes --name=value apart.
	if [[ $word == '=' ]]; then
		before=${COMP_WORDS[COMP_CWORD - 1]}
		word=
	elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $word == --*=* ]]; then
		before=${word%%=*}
		word=${word#*=}
	elif ((COMP_CWORD > 1)); then
		before=${COMP_WORDS[COMP_CWORD - 1]}
	fi

	# A tool that has commands lists them; the options then are those of the command.
	_ovniscope_help "${command[@]}"
	local commands
	commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p' <<<"$_ovniscope_text")
	if [[ -n $commands ]]; then
		for ((i = 1; i < COMP_CWORD; i++)); do
			w=${COMP_WORDS[i]}
			if [[ $'\n'$commands$'\n' == *$'\n'"$w"$'\n'* ]]; then
				command+=("$w")
				commands=
				_ovniscope_help "${command[@]}"
				break
			fi
		done
	fi
	_ovniscope_options

	if [[ -n $before && -n ${_ovniscope_takes[$before]-} ]]; then
		_ovniscope_values "${command[0]}" "${_ovniscope_takes[$before]}" "$word"
		return
	fi
	if [[ $word == -* ]]; then
		local -a all=()
		for w in "${_ovniscope_names[@]}"; do
			[[ $w == --* && -n ${_ovniscope_takes[$w]} ]] && w+='='
			all+=("$w")
		done
		mapfile -t COMPREPLY < <(compgen -W "${all[*]}" -- "$word")
		[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
		return
	fi
	if [[ -n $commands ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
		return
	fi
	usage=${_ovniscope_text%%$'\n'*}
	usage=${usage##* }
	_ovniscope_values "${command[0]}" "${usage//[][.]/}" "$word"
}

complete -F _ovniscope ovniemu ovniemu-mpi ovnievents ovnidump ovnitop ovnisort ovnifix ovniver ovnisync uscope ovniscope-laplace ovniscope-prism ovniscope-model
