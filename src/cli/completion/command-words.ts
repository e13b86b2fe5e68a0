import type { Argument, Command, Option } from 'commander';

/** What can stand at a place of the command line. */
export interface Values {
  readonly words: readonly string[];
  /** Whether it is the name of a file or folder. */
  readonly isFile: boolean;
}

/** An option with what may follow it. */
export interface OptionWords {
  readonly flag: string;
  readonly description: string;
  /** Undefined where it takes no value. */
  readonly value: Values | undefined;
}

/** A command of the tree, as a completion script needs it. */
export interface CommandWords {
  /** From the program on, without its name: `['keys', 'add']`. */
  readonly path: readonly string[];
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionWords[];
  readonly arguments: Values;
}

/** Every command of the tree. */
export function commandWords(
  command: Command,
  endpoints: readonly string[],
  path: readonly string[] = [],
): readonly CommandWords[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const own: CommandWords = {
    path,
    subcommands: subcommands.map((each) => ({ name: each.name(), description: each.description() })),
    options: help.visibleOptions(command).flatMap((option) => optionWords(option, endpoints)),
    arguments: merged(
      command.registeredArguments.map((argument) => valuesOf(argument.name(), argument, endpoints)),
    ),
  };
  const below = subcommands.flatMap((each) => commandWords(each, endpoints, [...path, each.name()]));
  return [own, ...below];
}

/** Arguments and options whose value is one. */
const FILES: readonly string[] = ['file', 'path', 'folder'];

function optionWords(option: Option, endpoints: readonly string[]): readonly OptionWords[] {
  if (option.long === undefined) return [];
  const [, placeholder] = /[<[]([\w-]+)/.exec(option.flags) ?? [];
  return [
    {
      flag: option.long,
      description: option.description,
      value: placeholder === undefined ? undefined : valuesOf(placeholder, option, endpoints),
    },
  ];
}

function valuesOf(
  name: string,
  { argChoices }: Pick<Argument, 'argChoices'>,
  endpoints: readonly string[],
): Values {
  return {
    words: [...(argChoices ?? []), ...(name === 'endpoint' ? endpoints : [])],
    isFile: FILES.includes(name),
  };
}

function merged(values: readonly Values[]): Values {
  return {
    words: [...new Set(values.flatMap(({ words }) => words))],
    isFile: values.some(({ isFile }) => isFile),
  };
}
