import type { Command, Option } from 'commander';

/** What a command line means up to the word that is completed. */
export interface TypedWords {
  /** The subcommand that the words have reached. */
  readonly command: Command;
  /** Its arguments before the word. */
  readonly args: readonly string[];
  /** The values of options before the word, by the long name of the option. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The option that the word is a value of. */
  readonly option?: Option;
}

/** Reads the words before the one that is completed. Words that the command would reject are skipped. */
export function readWords(program: Command, words: readonly string[]): TypedWords {
  let command = program;
  let option: Option | undefined;
  const args: string[] = [];
  const values = new Map<string, readonly string[]>();
  const give = (name: string | undefined, value: string): void => {
    if (name !== undefined) values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (const word of words) {
    if (option) {
      give(option.long, word);
      option = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', ...parts] = word.split('=');
      const found = optionOf(command, name);
      if (parts.length > 0) give(found?.long, parts.join('='));
      else if (found && takesValue(found)) option = found;
    } else {
      const subcommand = args.length === 0 ? subcommandOf(command, word) : undefined;
      if (subcommand) command = subcommand;
      else args.push(word);
    }
  }
  return { command, args, values, ...(option && { option }) };
}

/** The option of a command with a short or long name. */
export const optionOf = (command: Command, name: string): Option | undefined =>
  command.options.find(({ long, short }) => long === name || short === name);

/** Whether a word after the option is its value. */
export const takesValue = ({ required, optional }: Option): boolean => required || optional;

const subcommandOf = (command: Command, word: string): Command | undefined =>
  command.commands.find((subcommand) => subcommand.name() === word);
