import { tokenize } from '../../endpoint/sql-file/select/tokens.js';
import { SAMPLES } from '../../gateway/analysis/combinations.js';
import type { Draft, DraftParameter } from './draft.js';
import { parameterName, sqlName } from './names.js';
import { parameterOfType } from './parameter-of-type.js';

/** Why something cannot be an endpoint; the message completes "NAME: …". */
export class NotCarriedOver extends Error {
  override readonly name = 'NotCarriedOver';
}

/** A parameter of a query of ClickHouse, `{name:Type}`, as an endpoint has it. */
interface CarriedParameter {
  readonly name: string;
  readonly placeholder: string;
  readonly declaration: DraftParameter;
  readonly sample: string;
}

/** An endpoint that calls a parameterised view. @throws NotCarriedOver */
export function viewDraft(name: string, view: { readonly name: string; readonly select: string }): Draft {
  const parameters = parametersOf(placeholdersIn(view.select));
  const args = [...parameters].map(([own, { placeholder }]) => `${sqlName(own)} = ${placeholder}`);
  return {
    ...headerOf(name, `Rows of the view ${view.name}.`, [...parameters.values()]),
    query: `SELECT *\nFROM ${sqlName(view.name)}(${args.join(', ')})`,
  };
}

/** Whether a SELECT has parameters, as that of a parameterised view. */
export function hasParameters(select: string): boolean {
  return placeholdersIn(select).length > 0;
}

/** A `{name:Type}` in a query of ClickHouse. */
interface Placeholder {
  readonly name: string;
  readonly type: string;
}

/** The placeholders of a query, whatever their names: an endpoint's own can be lower-case only. */
function placeholdersIn(text: string): readonly Placeholder[] {
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const at = (index: number): string => text.slice(tokens[index]?.start, tokens[index]?.end);
  return tokens.flatMap((_token, index) => {
    if (at(index) !== '{' || tokens[index + 1]?.kind !== 'word' || at(index + 2) !== ':') return [];
    const last = tokens.slice(index).find((token) => text[token.start] === '}');
    const type = text.slice(tokens[index + 2]?.end, last?.start).trim();
    return last === undefined ? [] : [{ name: at(index + 1), type }];
  });
}

function headerOf(
  name: string,
  summary: string,
  parameters: readonly CarriedParameter[],
): Omit<Draft, 'query'> {
  const required = parameters.filter(({ declaration }) => declaration.required);
  return {
    name,
    summary,
    parameters: new Map(parameters.map((parameter) => [parameter.name, parameter.declaration])),
    example: Object.fromEntries(required.map((parameter) => [parameter.name, parameter.sample])),
  };
}

/** The parameters of a query by the names that ClickHouse knows. @throws NotCarriedOver */
function parametersOf(placeholders: readonly Placeholder[]): ReadonlyMap<string, CarriedParameter> {
  const taken = new Set<string>();
  const parameters = new Map<string, CarriedParameter>();
  for (const { name, type } of placeholders) {
    if (!parameters.has(name)) parameters.set(name, carried(name, type, taken));
  }
  return parameters;
}

function carried(own: string, type: string, taken: Set<string>): CarriedParameter {
  const name = parameterName(own, taken);
  const form = parameterOfType(type);
  if (name === undefined) throw new NotCarriedOver(`no parameter can have the name ${own}`);
  if (!form)
    throw new NotCarriedOver(`its parameter ${own} has the type ${type}, which no kind of parameter has`);
  const { kind, bind, options, isNullable } = form;
  const [choice] = (options['choices'] as readonly string[] | undefined) ?? [];
  return {
    name,
    placeholder: `{${name}:${bind}}`,
    declaration: {
      kind,
      options,
      description: `The parameter ${own} of ClickHouse.`,
      ...(!isNullable && { required: true }),
    },
    sample: choice ?? SAMPLES[kind.replace(/-list$/, '') as keyof typeof SAMPLES],
  };
}
