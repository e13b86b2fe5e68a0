import type { CommandWords, Values } from './command-words.js';

/** A completion script for zsh, in the same steps as that for bash. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  const paths = commands.map(placeOf).filter((place) => place !== '');
  return `#compdef querygate
# Completion of querygate for zsh: source <(querygate completion zsh), after compinit.
_querygate() {
  local at="" i
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/\${words[i]}" in
      ${paths.map(quoted).join(' | ')}) at="$at/\${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${commands.map(wordCase).join('\n')}
  esac
}
compdef _querygate querygate
`;
}

const placeOf = ({ path }: CommandWords): string => path.map((name) => `/${name}`).join('');

function valueCases(command: CommandWords): readonly string[] {
  return command.options.flatMap(({ flag, value }) =>
    value ? [`    ${quoted(`${placeOf(command)} ${flag}`)}) ${offer(value)}; return ;;`] : [],
  );
}

function wordCase(command: CommandWords): string {
  const described = [
    ...command.subcommands.map(({ name, description }) => [name, description] as const),
    ...command.arguments.words.map((word) => [word, 'endpoint or choice'] as const),
    ...command.options.map(({ flag, description }) => [flag, description] as const),
  ].map(([word, text]) => quoted(`${word.replaceAll(':', '\\:')}:${text}`));
  const files = command.arguments.isFile ? '; _files' : '';
  return `    ${quoted(placeOf(command))}) local -a offered=(${described.join(' ')}); _describe querygate offered${files} ;;`;
}

function offer({ words, isFile }: Values): string {
  if (words.length > 0) return `compadd -- ${words.map(quoted).join(' ')}`;
  return isFile ? '_files' : '_message value';
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
