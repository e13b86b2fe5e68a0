/** Shells that commands can be completed in. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

// Bash splits words at = and :, so the words are taken from the line, and only what is after the last of these is inserted.
const BASH = `_querygate() {
  local line="\${COMP_LINE:0:COMP_POINT}" current prefix='' value description
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current="\${words[\${#words[@]}-1]}"
  [[ $current == *[=:]* ]] && prefix="\${current%"\${current##*[=:]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r value description; do
    [[ $value == *= ]] && compopt -o nospace 2>/dev/null
    value=$(printf '%q' "$value")
    COMPREPLY+=("\${value#"$prefix"}")
  done < <("\${words[0]}" complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _querygate querygate
`;

const ZSH = `#compdef querygate
_querygate() {
  local value description
  local -a spaced unspaced
  while IFS=$'\\t' read -r value description; do
    if [[ $value == *= ]]; then
      unspaced+=("\${value//:/\\\\:}\${description:+:$description}")
    else
      spaced+=("\${value//:/\\\\:}\${description:+:$description}")
    fi
  done < <("\${(Q)words[1]}" complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#spaced} + \${#unspaced} == 0 )); then
    _files
    return
  fi
  (( \${#spaced} )) && _describe -t querygate querygate spaced
  (( \${#unspaced} )) && _describe -t querygate querygate unspaced -S ''
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _querygate "$@"
else
  compdef _querygate querygate
fi
`;

const FISH = `function __querygate_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] complete -- $words[2..] "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c querygate -f -a '(__querygate_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** The script that makes a shell complete `querygate`: it runs `querygate complete` for the words of each command line. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];
