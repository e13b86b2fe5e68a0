import { asRecord, isRecord } from './as-record.js';
import { closestName } from './closest-name.js';
import { namesAfter } from './after-last-row.js';
import type { DefinitionProblem } from './definition-error.js';
import { problemsOfDeprecation } from './deprecation-schema.js';
import { DECLARATION_KEYS, DEFINITION } from './definition-schema.js';
import { readPageOrder } from './page-order.js';
import type { Parameter } from './parameters/parameter.js';
import { problemsOfPieces } from './pieces.js';
import { CALL_PARAMETERS, NOW, ROW_LIMIT } from './reserved.js';
import { problemsBySchema, withFound } from './schema-problems.js';
import { problem, type Problem } from './problems.js';

/** Every mistake in a definition except those in its query, which only `build` can show. */
export function problemsOfDefinition(definition: unknown): readonly DefinitionProblem[] {
  return [...problemsBySchema(DEFINITION, definition, 'the definition'), ...problemsOfNames(definition)];
}

/** Why an endpoint cannot have a name; completes "NAME …". */
export function problemOfEndpointName(name: string): string | undefined {
  return DECLARATION_KEYS.name
    .validate(name, { convert: false, errors: { label: false } })
    .error?.message.replaceAll('"', '');
}

/** Whether a parameter may have a name. */
export function isParameterName(name: string): boolean {
  return problemOfName(name) === undefined;
}

/** The mistakes that Joi does not find: in the parameters, and in names that refer to them. */
export function problemsOfNames(definition: unknown): readonly DefinitionProblem[] {
  const { parameters, example, warm, tenant } = asRecord(definition);
  if (!isRecord(parameters)) return problemsOfDeprecation(definition);
  const sets: readonly (readonly [readonly string[], unknown])[] = [
    [['example'], example],
    ...(Array.isArray(warm) ? warm.map((set, index) => [['warm', String(index)], set] as const) : []),
  ];
  return [
    ...Object.entries(parameters).flatMap(([name, value]) => problemsOfParameter(name, value)),
    ...sets.flatMap(([path, set]) =>
      Object.keys(asRecord(set))
        .filter((name) => !Object.hasOwn(parameters, name))
        .map((name) => ({ path: [...path, name], ...undeclared(path, name, Object.keys(parameters)) })),
    ),
    ...sets.filter(([[key]]) => key === 'warm').flatMap(([path, set]) => secretsIn(path, set, parameters)),
    ...Object.keys(asRecord(tenant)).flatMap((table) =>
      tenantColumns(asRecord(tenant)[table]).flatMap(([, name]) => problemsOfTenant(table, name, parameters)),
    ),
    ...problemsOfPages(asRecord(definition), parameters),
    ...problemsOfPieces(asRecord(definition)).map((found) => ({ path: ['pieces'], ...found })),
    ...problemsOfDeprecation(definition),
  ];
}

function problemsOfPages(
  definition: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, unknown>>,
): readonly DefinitionProblem[] {
  const { order, problems } = readPageOrder(definition);
  const taken = order.length === 0 ? [] : namesAfter(order).filter((name) => Object.hasOwn(parameters, name));
  return [
    ...problems.map((found) => ({ path: ['pages', 'by'], ...found })),
    ...taken.map((name) => ({ path: ['parameters', name], ...problem('PAGES_NAME_TAKEN', name) })),
  ];
}

/** The columns of a table's filter with their parameters. */
export function tenantColumns(filter: unknown): readonly (readonly [column: string, parameter: string])[] {
  const columns = typeof filter === 'string' ? [[filter, filter] as const] : Object.entries(asRecord(filter));
  return columns.flatMap(([column, name]) => (typeof name === 'string' ? [[column, name] as const] : []));
}

/** ClickHouse logs settings, so that a filter cannot have a secret value. */
function problemsOfTenant(
  table: string,
  name: string,
  parameters: Readonly<Record<string, unknown>>,
): readonly DefinitionProblem[] {
  const path = ['tenant', table];
  if (!Object.hasOwn(parameters, name)) return [{ path, ...undeclared(path, name, Object.keys(parameters)) }];
  const { secret, isList } = asRecord(parameters[name]);
  if (secret !== true && isList !== true) return [];
  const kind = secret === true ? 'secret' : 'list';
  return [{ path, ...problem('PARAMETER_NOT_FILTERING', path.join('.'), kind, name) }];
}

/** The problems of secret values: results with them are never warmed, and a file must not contain them. */
function secretsIn(
  path: readonly string[],
  set: unknown,
  parameters: Readonly<Record<string, unknown>>,
): readonly DefinitionProblem[] {
  return Object.keys(asRecord(set))
    .filter((name) => asRecord(parameters[name])['secret'] === true)
    .map((name) => ({ path: [...path, name], ...problem('SECRET_IN_FILE', path.join('.'), name) }));
}

/** Names that the gateway itself binds or reads. */
const RESERVED: ReadonlySet<string> = new Set([
  NOW.name,
  ROW_LIMIT,
  'sql',
  ...CALL_PARAMETERS,
  'link_key',
  'link_expires',
  'link_signature',
]);

function problemsOfParameter(name: string, value: unknown): readonly DefinitionProblem[] {
  const path = ['parameters', name];
  const ofName = problemOfName(name);
  return [
    ...(ofName === undefined ? [] : [{ path, ...ofName }]),
    ...problemsOfValue(value).map((of) => ({
      code: of.code,
      path: [...path, ...of.path],
      problem: `${path.join('.')}${of.problem}`,
    })),
  ];
}

function problemOfName(name: string): Problem | undefined {
  if (name === NOW.name)
    return problem(
      'NAME_RESERVED',
      name,
      ': @now is the time of the request, in every query, without a declaration',
    );
  if (RESERVED.has(name)) return problem('NAME_RESERVED', name, `, as it does ${[...RESERVED].join(', ')}`);
  if (/^[a-z][a-z0-9_]*$/.test(name)) return undefined;
  return problem('NAME_INVALID', name);
}

function problemsOfValue(value: unknown): readonly DefinitionProblem[] {
  const { read, problems = [] } = asRecord(value) as Partial<Parameter>;
  if (typeof read === 'function')
    return problems.map((found) => ({ ...found, problem: `: ${found.problem}` }));
  const expected = "must be a parameter, such as text({ description: 'A city.' })";
  return [{ path: [], ...problem('VALUE_INVALID', '', withFound(value, expected)) }];
}

/** The problem of a set of values that names an undeclared parameter. @param path keys to the set */
export function undeclared(path: readonly string[], name: string, declared: readonly string[]): Problem {
  const closest = closestName(name, declared);
  const advice = closest === undefined ? '' : `; did you mean "${closest}"?`;
  return problem('PARAMETER_UNDECLARED', path.join('.'), name, advice);
}
