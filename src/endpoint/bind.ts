import { boundForm } from './bound-form.js';
import type { ParameterValue } from './parameters/parameter.js';
import { revealed, SecretValue } from './parameters/secret-value.js';
import { textOfQuery, type QueryText } from './remembered-text.js';
import { NOW, ROW_LIMIT } from './reserved.js';
import { tenantConditions, tenantSettings } from './tenant-settings.js';
import type { Condition, Query } from './sql.js';
import type { Value, Values } from './values.js';

/** A query for ClickHouse: a text without values, and the values to bind. */
export interface BoundQuery {
  readonly text: string;
  readonly parameters: Readonly<Record<string, Value | number>>;
  /** Settings of ClickHouse that the query needs, where it needs any. */
  readonly settings?: Readonly<Record<string, number | string>>;
  /** Filters by table, which are sent as a setting; present where the caller has pinned parameters. */
  readonly conditions?: ReadonlyMap<string, string>;
  /** Set where its columns are converted to the declared types. */
  readonly isConverted?: true;
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
  const rendered = textOfQuery(query, (question) =>
    typeof question === 'string' ? hasValue(question, values) : holds(question, values, pinned),
  );
  const { text, settings } = rendered;
  const parameters = parametersOf(rendered, values, now);
  parameters[ROW_LIMIT] = rowLimit;
  const conditions = tenantConditions(query.tenant, values, pinned);
  const all = { ...tenantSettings(conditions), ...settings };
  return {
    text,
    parameters,
    ...(Object.keys(all).length > 0 && { settings: all }),
    ...(conditions.size > 0 && { conditions }),
  };
}

/** The values of the parameters that a text names. @param prefix of their names */
export function parametersOf(
  { references }: Pick<QueryText, 'references'>,
  values: Values,
  now: Date,
  prefix = '',
): Record<string, Value | number> {
  const parameters = Object.create(null) as Record<string, Value | number>;
  for (const [name, { type }] of references) {
    const value = name === NOW.name ? boundTime(now) : (values.get(name) ?? null);
    parameters[`${prefix}${name}`] = boundForm(value, type);
  }
  return parameters;
}

/** A time of the gateway's clock in the form in which ClickHouse reads it. */
export function boundTime(now: Date): string {
  const iso = now.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}000`;
}

/** Whether a parameter has a value, for a text that depends on it. */
export const hasValue = (name: string, values: Values): boolean =>
  name === NOW.name || (values.get(name) ?? null) !== null;

/** Whether a condition is true of a call. */
export function holds(condition: Condition, values: Values, pinned: ReadonlySet<string>): boolean {
  const { equals, pinned: needed = [], omitted = [], matches = [] } = condition;
  return (
    equals.every(([{ name }, value]) => revealed(values.get(name)) === value) &&
    needed.every(({ name }) => pinned.has(name)) &&
    !omitted.some(({ name }) => hasValue(name, values)) &&
    matches.every(([{ name }, pattern]) => isFoundIn(revealed(values.get(name)), pattern))
  );
}

function isFoundIn(value: ParameterValue | null | undefined, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** The parameters of a bound query as the client of ClickHouse takes them, secret values included. */
export function revealedParameters({
  parameters,
}: Pick<BoundQuery, 'parameters'>): Record<string, ParameterValue | number | null> {
  const all = Object.create(null) as Record<string, ParameterValue | number | null>;
  for (const name in parameters) all[name] = revealed(parameters[name] ?? null);
  return all;
}

/** Whether a value must not appear in logs. */
export function hasSecretValue({ parameters }: Pick<BoundQuery, 'parameters'>): boolean {
  for (const name in parameters) if (parameters[name] instanceof SecretValue) return true;
  return false;
}
