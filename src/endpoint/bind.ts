import { boundForm } from './bound-form.js';
import { formatClickHouseTimestamp } from './iso-timestamp.js';
import type { ParameterValue } from './parameters/parameter.js';
import { revealed, SecretValue } from './parameters/secret-value.js';
import { renderQuery, type Dialect } from './render.js';
import { NOW, ROW_LIMIT } from './reserved.js';
import { tenantSettings } from './tenant-settings.js';
import type { Condition, Query, Reference } from './sql.js';

/** The value of a validated parameter; null where it is omitted. */
export type Value = ParameterValue | SecretValue | null;

/** The validated parameters of a request, by name. */
export type Values = ReadonlyMap<string, Value>;

/** A query for ClickHouse: a text without any value in it, and the values to bind. */
export interface BoundQuery {
  readonly text: string;
  readonly parameters: Readonly<Record<string, Value | number>>;
  /** Settings of ClickHouse that the query needs, where it needs any. */
  readonly settings?: Readonly<Record<string, number | string>>;
}

/**
 * Binds the query of one request: `{name:Type}` for every parameter, without the filters that do not apply.
 *
 * @param pinned names of the parameters that the caller's key pins.
 * @param now the gateway's clock, bound as `now`.
 * @param rowLimit the LIMIT of the query.
 */
export function bindQuery(
  query: Query,
  values: Values,
  pinned: ReadonlySet<string>,
  now: Date,
  rowLimit: number,
): BoundQuery {
  const parameters = Object.create(null) as Record<string, Value | number>;
  const use = (reference: Reference): string => {
    const value = reference.name === NOW.name ? boundTime(now) : (values.get(reference.name) ?? null);
    parameters[reference.name] = boundForm(value, reference.type);
    return `{${reference.name}:${value === null ? nullable(reference.type) : reference.type}}`;
  };
  const limit = `LIMIT {${ROW_LIMIT}:UInt64}`;
  const cap = query.named ? '' : limit;
  const settings: Record<string, number | string> = tenantSettings(query.tenant, values, pinned);
  const setting = (name: string, value: number): void => {
    settings[name] = value;
  };
  const text = renderQuery(query, { ...dialectOf(values, pinned, use), cap, setting });
  parameters[ROW_LIMIT] = rowLimit;
  const bound = { text: `${text}\n${limit}`, parameters };
  return Object.keys(settings).length === 0 ? bound : { ...bound, settings };
}

/** A time of the gateway's clock in the form in which ClickHouse reads it. */
export const boundTime = (now: Date): string => formatClickHouseTimestamp(BigInt(now.getTime()) * 1000n);

const nullable = (type: string): string => (type.startsWith('Nullable(') ? type : `Nullable(${type})`);

function dialectOf(
  values: Values,
  pinned: ReadonlySet<string>,
  use: (reference: Reference) => string,
): Omit<Dialect, 'cap' | 'setting'> {
  const hasValue = (reference: Reference): boolean => (values.get(reference.name) ?? null) !== null;
  const isTrue = (condition: Condition): boolean =>
    condition.equals.every(([reference, value]) => revealed(values.get(reference.name)) === value) &&
    (condition.pinned ?? []).every(({ name }) => pinned.has(name)) &&
    !(condition.omitted ?? []).some(hasValue) &&
    (condition.matches ?? []).every(([{ name }, pattern]) => isFoundIn(revealed(values.get(name)), pattern));
  return {
    reference: use,
    filter: (filter, render) => (filter.required.every(hasValue) ? render(filter.condition) : undefined),
    choice: (branches, otherwise, render) =>
      render(branches.find(([condition]) => isTrue(condition))?.[1] ?? otherwise),
    printsUnusedParts: false,
  };
}

function isFoundIn(value: ParameterValue | null | undefined, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** The parameters of a bound query as the client of ClickHouse takes them, secret values included. */
export function revealedParameters({
  parameters,
}: Pick<BoundQuery, 'parameters'>): Record<string, ParameterValue | number | null> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, revealed(value)]));
}

/** Whether a value must not appear in logs. */
export function hasSecretValue({ parameters }: Pick<BoundQuery, 'parameters'>): boolean {
  return Object.values(parameters).some((value) => value instanceof SecretValue);
}
