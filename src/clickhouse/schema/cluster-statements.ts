import { quoteText } from '../../endpoint/quote-sql.js';
import { alterStatements } from './cluster-alter.js';
import { localName, onCluster, qualified, type Cluster } from './cluster-names.js';
import { closingBracket, listItems, masked, withoutComments } from './statement-text.js';

/**
 * What a statement of the schema, as it is written for one server, comes to on a cluster. Each table is a replicated
 * `NAME_local` on every shard, under a Distributed table NAME. The statements of the result name their database, and run
 * `ON CLUSTER`.
 *
 * @throws Error naming a statement whose shape is not known: applied as it stands, it would reach one server alone.
 */
export function clusterStatements(statement: string, cluster: Cluster): readonly string[] {
  const bare = withoutComments(statement);
  const make = TRANSLATIONS.find(([shape]) => shape.test(masked(bare)))?.[1];
  if (!make) throw unsupportedStatement(bare, 'is none of the shapes that there is a form on a cluster for');
  return make(bare, cluster);
}

/**
 * The table that records what was applied, as every server of a cluster has it: the replicas of one table, whatever
 * shard they are of, so that it makes no difference from which server the next migration starts.
 */
export function clusterRecordTable(statement: string, cluster: Cluster): string {
  const bare = statement.trim();
  const { name, columnList, rest } = parseTable(bare);
  const path = quoteText(`/clickhouse/tables/${cluster.name}/all/${cluster.database}/${name}`);
  return (
    `CREATE TABLE IF NOT EXISTS ${qualified(name, cluster)} ${onCluster(cluster)}\n${columnList}\n` +
    `ENGINE = ReplicatedMergeTree(${path}, '{shard}_{replica}')${rest}`
  );
}

type Translate = (statement: string, cluster: Cluster) => readonly string[];

const TRANSLATIONS: readonly (readonly [RegExp, Translate])[] = [
  [/^CREATE TABLE IF NOT EXISTS \w+\s*\(/, tableStatements],
  [/^ALTER TABLE \w+\s/, alterStatements],
];

/** Columns that rows of a table are spread by, the first that it has: rows of a project stay together. */
const SHARDING_COLUMNS = ['project', 'id', 'request_id'];

function tableStatements(statement: string, cluster: Cluster): readonly string[] {
  const { name, columnList, rest } = parseTable(statement);
  const local = localName(name);
  const distributed = [
    ...[cluster.name, cluster.database, local].map(quoteText),
    shardingKey(columnList, statement),
  ];
  const create = (table: string): string =>
    `CREATE TABLE IF NOT EXISTS ${qualified(table, cluster)} ${onCluster(cluster)}`;
  return [
    `${create(local)}\n${columnList}\nENGINE = ReplicatedMergeTree(${keeperPath(local, cluster)}, '{replica}')${rest}`,
    // This takes over the columns with their defaults and comments, and leaves indexes and projections behind.
    `${create(name)} AS ${qualified(local, cluster)}\nENGINE = Distributed(${distributed.join(', ')})${commentOf(rest)}`,
  ];
}

interface TableParts {
  readonly name: string;
  /** With its brackets. */
  readonly columnList: string;
  /** All that comes behind the engine. */
  readonly rest: string;
}

function parseTable(statement: string): TableParts {
  const mask = masked(statement);
  const open = mask.indexOf('(');
  const close = closingBracket(mask, open);
  const engine = /^\s*ENGINE\s*=\s*MergeTree(?:\s*\(\s*\))?(?=\s)/.exec(mask.slice(close + 1))?.[0];
  if (close === -1 || engine === undefined)
    throw unsupportedStatement(statement, 'has another engine than MergeTree');
  return {
    name: /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(mask)?.[1] ?? '',
    columnList: statement.slice(open, close + 1),
    rest: statement.slice(close + 1 + engine.length),
  };
}

/** A table's comment, which is the last of its clauses. */
function commentOf(clauses: string): string {
  const at = masked(clauses).lastIndexOf('COMMENT');
  return at === -1 ? '' : `\n${clauses.slice(at)}`;
}

/** What the replicas of a shard know each other by: they have the macro `shard` in common. */
function keeperPath(local: string, { name, database }: Cluster): string {
  return quoteText(`/clickhouse/tables/${name}/{shard}/${database}/${local}`);
}

/** A hash, and not `rand()`: rows of an INSERT that is sent again go where they went, so that a shard recognises the block. */
function shardingKey(columnList: string, statement: string): string {
  const columns = new Set(listItems(columnList.slice(1, -1)).map((item) => /^\w+/.exec(item)?.[0]));
  const column = SHARDING_COLUMNS.find((candidate) => columns.has(candidate));
  if (column === undefined) {
    throw unsupportedStatement(
      statement,
      `has none of the columns ${SHARDING_COLUMNS.join(', ')} to spread its rows by`,
    );
  }
  return `cityHash64(${column})`;
}

/** An error that says which statement, what of it, and what to do. */
function unsupportedStatement(statement: string, what: string): Error {
  const [line = ''] = statement.split('\n', 1);
  return new Error(
    `This statement of the schema can’t be applied to a cluster, since it ${what}: ${line} ` +
      'Give it a form in src/clickhouse/schema/cluster-statements.ts.',
  );
}
