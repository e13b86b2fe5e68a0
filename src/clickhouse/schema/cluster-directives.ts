import { qualified, type Cluster } from './cluster-names.js';
import { quoteText } from '../../endpoint/quote-sql.js';

/** A comment that asks something of the migration itself. */
const DIRECTIVE = /^-- querygate: *(.*?) *$/m;
const WAIT = 'wait for inserts';
const FILL = /^fill (\w+) from (\w+) a day at a time$/;

/**
 * What a directive of the schema comes to on a cluster; undefined for a statement that holds none.
 *
 * Waiting for INSERTs and filling a rollup beside them go by what one server sees of itself. On a cluster neither is
 * tried: rows that are there, or on their way, are an error, and a rollup of empty tables is full already.
 */
export function directiveStatements(statement: string, cluster: Cluster): readonly string[] | undefined {
  const directive = DIRECTIVE.exec(statement)?.[1];
  if (directive === undefined) return undefined;
  if (directive === WAIT) return [refuseWhileInserting(cluster)];
  const [, target, source] = FILL.exec(directive) ?? [];
  if (target === undefined || source === undefined) {
    throw new Error(
      `“-- querygate: ${directive}” has no form on a cluster. Give it one in src/clickhouse/schema/cluster-directives.ts.`,
    );
  }
  return [refuseWhereRows(source, target, cluster)];
}

function refuseWhileInserting({ name, database }: Cluster): string {
  const message =
    'Rows are being inserted, and a new rollup would miss them. Stop what inserts, and migrate again.';
  const text = quoteText(database);
  return (
    `SELECT throwIf(count() > 0, ${quoteText(message)})\n` +
    `FROM clusterAllReplicas(${quoteText(name)}, system.processes)\n` +
    `WHERE query_kind IN ('Insert', 'AsyncInsertFlush') AND (current_database = ${text} OR position(query, ${text}) > 0)`
  );
}

function refuseWhereRows(source: string, target: string, cluster: Cluster): string {
  const message =
    `${source} has rows already, and ${target} can’t be filled from them on a cluster without counting some twice. ` +
    'docs/clusters.md says how to fill it by hand.';
  return (
    `SELECT throwIf(count() > 0, ${quoteText(message)})\n` +
    `FROM (SELECT 1 FROM ${qualified(source, cluster)} LIMIT 1)`
  );
}
