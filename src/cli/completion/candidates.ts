import type { Command, Option } from 'commander';

import type { ProjectValues } from './project-values.js';
import { optionOf, readWords, takesValue, type TypedWords } from './typed-words.js';

/** A word that a shell can insert; after one that ends with `=`, more follows without a space. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/**
 * The words that can stand in place of the last one. Empty where only a file or a text of the user's own can.
 *
 * @param words of the command line after the command; the last one, which may be empty, is completed.
 * @throws Error where the file of an endpoint is invalid.
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  project: ProjectValues,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? '';
  const typed = readWords(program, words.slice(0, -1));
  const candidates = await allCandidates(typed, current, project);
  return candidates.filter(({ value }) => value.startsWith(current) && value !== '');
}

async function allCandidates(
  typed: TypedWords,
  current: string,
  project: ProjectValues,
): Promise<readonly Candidate[]> {
  if (typed.option) return valuesOf(typed.option, typed, current, project);
  const [, name] = /^(--[^=]+)=/.exec(current) ?? [];
  if (name === undefined)
    return current.startsWith('-') ? optionsOf(typed.command) : argumentsOf(typed, project);
  const option = optionOf(typed.command, name);
  if (!option || !takesValue(option)) return [];
  const values = await valuesOf(option, typed, current.slice(name.length + 1), project);
  return values.map(({ value, description }) => ({ value: `${name}=${value}`, description }));
}

/** The options of a command, as its help lists them. */
const optionsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));

async function argumentsOf(
  { command, args }: TypedWords,
  project: ProjectValues,
): Promise<readonly Candidate[]> {
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0 && args.length === 0) {
    return subcommands.map((subcommand) => ({
      value: subcommand.name(),
      description: subcommand.description(),
    }));
  }
  const { registeredArguments: declared } = command;
  const last = declared.at(-1);
  const argument = declared[args.length] ?? (last?.variadic === true ? last : undefined);
  if (argument?.argChoices) return argument.argChoices.map(plain);
  if (argument?.name() !== 'endpoint') return [];
  const names = await project.endpointNames();
  return names.filter((name) => !args.includes(name)).map(plain);
}

async function valuesOf(
  { long, argChoices }: Option,
  typed: TypedWords,
  current: string,
  project: ProjectValues,
): Promise<readonly Candidate[]> {
  if (argChoices) return argChoices.map(plain);
  if (long === '--endpoint') return (await project.endpointNames()).map(plain);
  return long === '--param' ? parametersOf(typed, current, project) : [];
}

/** `name=` of the parameters that are not set yet; after `name=` the known values of the parameter. */
async function parametersOf(
  { args, values }: TypedWords,
  current: string,
  project: ProjectValues,
): Promise<readonly Candidate[]> {
  const name = values.get('--endpoint')?.[0] ?? args[0];
  const endpoint = name === undefined ? undefined : await project.endpoint(name);
  if (!endpoint) return [];
  const [parameter = '', value] = current.split('=', 2);
  if (value !== undefined) {
    const { choices, suggestions = [] } = endpoint.parameters.get(parameter) ?? {};
    return (choices ?? suggestions).map((choice) => plain(`${parameter}=${choice}`));
  }
  const given = new Set((values.get('--param') ?? []).map((text) => text.split('=', 1)[0]));
  return [...endpoint.parameters]
    .filter(([other]) => !given.has(other))
    .map(([other, { description, required }]) => ({
      value: `${other}=`,
      description: required ? `required: ${description}` : description,
    }));
}

const plain = (value: string): Candidate => ({ value, description: '' });
