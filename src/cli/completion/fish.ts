import type { CommandWords } from './command-words.js';

/** A completion script for fish: a line for each word that can be offered, with the place where it can. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  const paths = commands.map(({ path }) => path.join(' ')).filter((path) => path !== '');
  return `# Completion of querygate for fish: querygate completion fish | source
function __querygate_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' $at $word)
        contains -- $next ${paths.map(quoted).join(' ')}; and set at $at $word
    end
    test (string join ' ' $at) = "$argv[1]"
end
complete -c querygate -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf(command: CommandWords): readonly string[] {
  const at = `complete -c querygate -n ${quoted(`__querygate_at ${quoted(command.path.join(' '))}`)}`;
  const { words, isFile } = command.arguments;
  return [
    ...command.subcommands.map(
      ({ name, description }) => `${at} -a ${quoted(name)} -d ${quoted(description)}`,
    ),
    ...(words.length > 0 ? [`${at} -a ${quoted(words.join(' '))}`] : []),
    ...(isFile ? [`${at} -F`] : []),
    ...command.options.map(({ flag, description, value }) => {
      const files = value?.isFile ? ' -F' : '';
      const takes = value ? ` -r${files}` : '';
      const choices = value && value.words.length > 0 ? ` -a ${quoted(value.words.join(' '))}` : '';
      return `${at} -l ${quoted(flag.replace(/^--/, ''))}${takes}${choices} -d ${quoted(description)}`;
    }),
  ];
}

/** In single quotes fish knows escapes of the quote and the backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
