import { formatClickHouseTimestamp } from './iso-timestamp.js';
import type { ParameterValue } from './parameters/parameter.js';
import { renderQuery, type Dialect } from './render.js';
import { NOW, ROW_LIMIT } from './reserved.js';
import type { Condition, Query, Reference } from './sql.js';

/** The validated parameters of a request, by name; an omitted one is null. */
export type Values = ReadonlyMap<string, ParameterValue | null>;

/** A query as ClickHouse gets it: text without a single value in it, and the values beside it. */
export interface BoundQuery {
  readonly text: string;
  readonly parameters: Readonly<Record<string, ParameterValue | number | null>>;
  /** Settings of ClickHouse's that the query wants, where it wants any. */
  readonly settings?: Readonly<Record<string, number>>;
}

/**
 * The query of one request: `{name:Type}` for every parameter, filters that do not apply left out.
 *
 * @param held names of the parameters that the caller did not choose, but its key holds it to.
 * @param now the gateway's clock, bound as `now`.
 * @param rowLimit rows to ask for, at most.
 */
export function bindQuery(
  query: Query,
  values: Values,
  held: ReadonlySet<string>,
  now: Date,
  rowLimit: number,
): BoundQuery {
  const parameters: Record<string, ParameterValue | number | null> = Object.create(null) as Record<
    string,
    never
  >;
  const use = (reference: Reference): string => {
    const value =
      reference.name === NOW.name
        ? formatClickHouseTimestamp(BigInt(now.getTime()) * 1000n)
        : (values.get(reference.name) ?? null);
    parameters[reference.name] = value;
    return `{${reference.name}:${value === null ? `Nullable(${reference.type})` : reference.type}}`;
  };
  const limit = `LIMIT {${ROW_LIMIT}:UInt64}`;
  const cap = query.named ? '' : limit;
  const settings: Record<string, number> = {};
  const setting = (name: string, value: number): void => {
    settings[name] = value;
  };
  const text = renderQuery(query, { ...dialectOf(values, held, use), cap, setting });
  parameters[ROW_LIMIT] = rowLimit;
  const bound = { text: `${text}\n${limit}`, parameters };
  return Object.keys(settings).length === 0 ? bound : { ...bound, settings };
}

function dialectOf(
  values: Values,
  held: ReadonlySet<string>,
  use: (reference: Reference) => string,
): Omit<Dialect, 'cap' | 'setting'> {
  const given = (reference: Reference): boolean => (values.get(reference.name) ?? null) !== null;
  const holds = (condition: Condition): boolean =>
    condition.equals.every(([reference, value]) => values.get(reference.name) === value) &&
    (condition.pinned ?? []).every(({ name }) => held.has(name)) &&
    !(condition.omitted ?? []).some(given) &&
    (condition.matches ?? []).every(([{ name }, pattern]) => isFoundIn(values.get(name), pattern));
  return {
    reference: use,
    filter: (filter, render) => (filter.required.every(given) ? render(filter.condition) : undefined),
    choice: (branches, otherwise, render) =>
      render(branches.find(([condition]) => holds(condition))?.[1] ?? otherwise),
    printsUnusedParts: false,
  };
}

function isFoundIn(value: ParameterValue | null | undefined, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
