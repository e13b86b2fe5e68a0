import { closestName } from '../../endpoint/closest-name.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { itemKind } from '../../endpoint/parameters/kinds.js';
import type { Parameter } from '../../endpoint/parameters/parameter.js';
import { unquote } from '../../endpoint/quote-sql.js';
import type { Seal } from '../../endpoint/parameters/secret-value.js';
import type { Values } from '../../endpoint/values.js';
import { applyPinned } from '../auth/pinned-parameters.js';
import type { Principal } from '../auth/principal.js';
import { rawInBody, type RawParameter } from '../query/raw-parameters.js';
import { secretSamples } from '../query/sample-values.js';
import { readParameters } from '../query/validate-parameters.js';
import { MAX_SHOWN } from './resolve-name.js';
import { CODES, StatementProblem, type Argument, type TableRead } from './statement.js';

/** Values and options for reading the arguments of a table. */
export interface ArgumentReader {
  readonly principal: Principal;
  /** Parameters that the client sent beside the statement (`param_NAME`), in ClickHouse's escaped form. */
  readonly sent: ReadonlyMap<string, string>;
  readonly now: Date;
  readonly seal?: Seal | undefined;
  /** Whether the client asks only for the columns. Then a required argument may be NULL: drivers do not know its value yet. */
  readonly isDescribed?: boolean;
}

/**
 * Reads the values of an endpoint's parameters from the arguments of its table, and validates them like those of a call.
 *
 * @throws StatementProblem for an unknown, missing or invalid argument
 */
export function valuesOfArguments(
  endpoint: Endpoint,
  { table: qualified, args }: Pick<TableRead, 'table' | 'args'>,
  { principal, sent, now, seal, isDescribed = false }: ArgumentReader,
): Values {
  const table = qualified.slice(qualified.indexOf('.') + 1);
  const { parameters } = endpoint;
  const raw = new Map<string, RawParameter>();
  const missing = isDescribed ? missingParameters(endpoint, principal) : [];
  const samples = missing.length > 0 ? { ...secretSamples(endpoint), ...endpoint.example } : undefined;
  for (const [name, argument] of args) {
    const parameter = parameters.get(name);
    if (!parameter) throw new StatementProblem(CODES.BAD_ARGUMENTS, unknownArgument(table, name, endpoint));
    const value = valueOf(argument, sent, parameter);
    const text = missing.includes(name) ? samples?.[name] : undefined;
    if (value !== undefined) raw.set(name, rawInBody(value));
    else if (text !== undefined) raw.set(name, { text, times: 1 });
  }
  const applied = applyPinned(principal, parameters, raw);
  if ('conflict' in applied) throw new StatementProblem(CODES.ACCESS_DENIED, applied.conflict.detail);
  const { values, problems } = readParameters(endpoint, applied.parameters, { now, seal });
  if (problems.length === 0) return values;
  const listed = problems.map(({ param, problem }) => `${param} ${problem}`).join('; ');
  const example = `${table}(${problems.map(({ param }) => `${param} = …`).join(', ')})`;
  throw new StatementProblem(
    CODES.BAD_ARGUMENTS,
    `The table ${table} has invalid arguments: ${listed}. Write them as ${example}.`,
  );
}

/** Names of the parameters that a caller of this key must give. */
export function missingParameters({ parameters }: Endpoint, { pinned }: Principal): readonly string[] {
  return [...parameters]
    .filter(
      ([name, { required, default: fallback }]) => required && fallback === undefined && !pinned?.has(name),
    )
    .map(([name]) => name);
}

function unknownArgument(table: string, name: string, { parameters }: Endpoint): string {
  const names = [...parameters.keys()];
  const nearest = closestName(name, names);
  const known = names.length === 0 ? 'It has none' : `It has ${names.join(', ')}`;
  const advice = nearest === undefined ? known : `Did you mean ${nearest}? ${known}`;
  return `The table ${table} has no argument ${name.slice(0, MAX_SHOWN)}. ${advice}.`;
}

/** Value of an argument, as text or as texts. Undefined for NULL. */
function valueOf(
  argument: Argument,
  sent: ReadonlyMap<string, string>,
  { isList, kind }: Parameter,
): string | readonly string[] | undefined {
  if (argument.kind === 'none') return undefined;
  if (argument.kind === 'text') return argument.text;
  if (argument.kind === 'items') return argument.items;
  const value = sentValue(sent, argument.name);
  if (value === '\\N') return undefined;
  const ownOf = itemKind(kind) === 'timestamp' ? timeOf : String;
  return isList && value.startsWith('[') ? itemsIn(value).map(ownOf) : ownOf(unescaped(value));
}

/** Time for the seconds since 1970 that clients write for a parameter of type DateTime. Other texts stay unchanged. */
function timeOf(text: string): string {
  return text.replace(/^(\d{9,10})(\.\d+)?$/, (_, seconds: string, fraction?: string) =>
    new Date(Number(seconds) * 1000).toISOString().replace('.000Z', `${fraction ?? ''}Z`),
  );
}

/** Value of a parameter in braces, in ClickHouse's escaped form. @throws StatementProblem where the client sent none */
export function sentValue(sent: ReadonlyMap<string, string>, name: string): string {
  const value = sent.get(name);
  if (value !== undefined) return value;
  throw new StatementProblem(
    CODES.UNKNOWN_QUERY_PARAMETER,
    `The statement has {${name}:…}, but the request has no param_${name}.`,
  );
}

const ITEM = /'(?:[^'\\]|\\[^])*'|[^\s,[\]']+/gu;

/** Items of an array in ClickHouse's form, such as `['a','b']`. */
const itemsIn = (array: string): readonly string[] =>
  [...array.matchAll(ITEM)].map(([item]) => (item.startsWith("'") ? unquote(item) : item));

/** Decodes a value from the escaped form of ClickHouse's TabSeparated: the escapes are those of a literal, quotes mean nothing. */
const unescaped = (value: string): string => unquote(`|${value}|`);
