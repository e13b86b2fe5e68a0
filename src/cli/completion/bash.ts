import type { CommandWords } from './command-words.js';

/**
 * A completion script for bash. It follows the words that are there from subcommand to subcommand, and then offers what
 * may come next; where nothing is offered bash completes the names of files.
 */
export function bashCompletion(commands: readonly CommandWords[]): string {
  return `# Completion of querygate for bash: source <(querygate completion bash)
_querygate() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" at="" words="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${pathsOf(commands).map(quoted).join(' | ')}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${commands.map(wordCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _querygate querygate
`;
}

/** `/keys/add` for each command but the program itself. */
function pathsOf(commands: readonly CommandWords[]): readonly string[] {
  return commands.map(placeOf).filter((place) => place !== '');
}

const placeOf = ({ path }: CommandWords): string => path.map((name) => `/${name}`).join('');

/** After an option that takes a value only its values are offered; of a file, none, so that bash offers files. */
function valueCases(command: CommandWords): readonly string[] {
  return command.options.flatMap(({ flag, value }) => {
    if (!value) return [];
    const words = value.words.join(' ');
    const reply = words === '' ? '' : ` COMPREPLY=($(compgen -W ${quoted(words)} -- "$cur"));`;
    return [`    ${quoted(`${placeOf(command)} ${flag}`)})${reply} return ;;`];
  });
}

function wordCase(command: CommandWords): string {
  const words = [
    ...command.subcommands.map(({ name }) => name),
    ...command.arguments.words,
    ...command.options.map(({ flag }) => flag),
  ].join(' ');
  const own = `words=${quoted(words)}`;
  // Options would hide the files, which bash offers where nothing else is.
  const file = command.arguments.isFile ? ` [[ "$cur" == -* ]] || words=""` : '';
  return `    ${quoted(placeOf(command))}) ${own}${file === '' ? '' : `;${file}`} ;;`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
