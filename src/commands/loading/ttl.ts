import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { quoteText } from '../../endpoint/quote-sql.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import { listItems } from '../../endpoint/type-name.js';
import { masked } from '../../gateway/schema/statement-text.js';
import type { RowShape } from './columns.js';
import { shortened } from './load-error.js';
import { readRows } from './read-rows.js';

/** When ClickHouse deletes rows of a table. */
export interface Ttl {
  /** SQL over the columns: whether a row is due to be deleted. */
  readonly isExpired: string;
  /** Description of such a row: `older than 90 days`. */
  readonly description: string;
  /** Whether it depends on `timestamp`, so that `shiftToNow` can save rows from deletion. */
  readonly dependsOnTime: boolean;
}

/**
 * Finds the TTL that deletes rows of a table; undefined without one, and where the user may not read it: a load must
 * not fail for the sake of a warning.
 */
export async function findTtl(
  client: ClickHouseClient,
  name: string,
  shape: RowShape,
): Promise<Ttl | undefined> {
  try {
    const ttl = parseTtl(await engineOf(client, 'currentDatabase()', quoteText(name)));
    if (ttl) await readRows({ client, shape, expressions: [ttl.isExpired] }, []);
    return ttl;
  } catch (error) {
    if (error instanceof ClickHouseError) return undefined;
    throw error;
  }
}

/** Extracts the TTL that deletes rows from an engine as `system.tables` prints it. */
export function parseTtl(engine: string): Ttl | undefined {
  const clause = /(?<= TTL ).*?(?= SETTINGS |$)/s.exec(masked(engine));
  if (!clause) return undefined;
  const elements = listItems(engine.slice(clause.index, clause.index + clause[0].length));
  const deleting = elements.filter((element) => !/ (?:TO|RECOMPRESS|GROUP BY) /.test(masked(element)));
  if (deleting.length === 0) return undefined;
  return {
    isExpired: deleting.map(isExpired).reduce((either, or) => `greatest(${either}, ${or})`),
    description: describe(deleting),
    dependsOnTime: deleting.some((element) => /\btimestamp\b/.test(masked(element))),
  };
}

/**
 * SQL of the test whether a time has expired. As in ClickHouse, 0 means never. Uses functions instead of AND and OR, for which the
 * optimizer copies the query with all its lines.
 */
function isExpired(element: string): string {
  const where = masked(element).indexOf(' WHERE ');
  const time = where === -1 ? element : element.slice(0, where);
  const expired = `if(toInt64(${time}) = 0, 0, ${time} <= now())`;
  return where === -1 ? expired : `if(${element.slice(where + ' WHERE '.length)}, ${expired}, 0)`;
}

function describe(elements: readonly string[]): string {
  const text = elements.join(', ');
  const [, unit, count] = /^\w+ \+ toInterval([A-Z][a-z]+)\((\d+)\)$/.exec(text) ?? [];
  if (unit === undefined || count === undefined) return `past the table’s TTL (${shortened(text, 200)})`;
  return `older than ${count} ${unit.toLowerCase()}${count === '1' ? '' : 's'}`;
}

/**
 * The engine of a table with its clauses; of a Distributed table, that of the table on this shard.
 *
 * @param database and the table's name are expressions of SQL.
 */
async function engineOf(client: ClickHouseClient, database: string, name: string): Promise<string> {
  const query = `SELECT engine_full FROM system.tables WHERE database = ${database} AND name = ${name}`;
  const [found] = await selectRows<{ engine_full: string }>(client, query);
  const engine = found?.engine_full ?? '';
  const [, shard, local] = /^Distributed\('[^']*', ('[^']*'), ('[^']*')/.exec(engine) ?? [];
  return shard === undefined || local === undefined ? engine : engineOf(client, shard, local);
}
