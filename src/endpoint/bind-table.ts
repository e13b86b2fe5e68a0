import { hasValue, holds, parametersOf, type BoundQuery } from './bind.js';
import { behindBarrier, rowsOf } from './bind-sandboxed.js';
import { returnedColumns, type Endpoint } from './endpoint.js';
import { renderText } from './remembered-text.js';
import { tableFilters, tenantConditions } from './tenant-settings.js';
import type { Values } from './values.js';

/** A WITH query with the rows of an endpoint, for a statement that reads it as a table. */
export interface BoundTable extends Pick<BoundQuery, 'parameters'> {
  /** `SELECT … SETTINGS …` */
  readonly text: string;
  /** The conditions of the caller's pinned parameters, by table: the `additional_table_filters` that the text lacks. */
  readonly filters: string | undefined;
  /** Settings of the optimizer, which ClickHouse ignores in a WITH query. */
  readonly settings: Readonly<Record<string, number>>;
}

/** What the rows of a table are bound with. */
export interface TableBinding {
  /** Names of the parameters that the caller's key pins. */
  readonly pinned: ReadonlySet<string>;
  /** The gateway's clock, bound as `now`. */
  readonly now: Date;
  /** Name of the WITH query. Its parameters have the name as a prefix, because a statement can read an endpoint several times. */
  readonly name: string;
  /** `name = value`: what the settings of the client must not change in these rows; at least one. */
  readonly settings: readonly string[];
}

/** Binds the rows of an endpoint as a WITH query. The row cap does not apply, the endpoint's own limit does. */
export function bindTable(
  endpoint: Endpoint,
  values: Values,
  { pinned, now, name, settings }: TableBinding,
): BoundTable {
  const { query } = endpoint;
  const { query: body } = behindBarrier(rowsOf(endpoint, name), query, returnedColumns(endpoint, values));
  const rendered = renderText(
    { parts: [], body, isVerbatim: true },
    (question) =>
      typeof question === 'string' ? hasValue(question, values) : holds(question, values, pinned),
    { prefix: `${name}_`, cap: '' },
  );
  const conditions = tenantConditions(query.tenant, values, pinned);
  return {
    text: `${rendered.text}, ${settings.join(', ')}`,
    filters: conditions.size > 0 ? tableFilters(conditions) : undefined,
    parameters: parametersOf(rendered, values, now, `${name}_`),
    settings: rendered.settings,
  };
}
