import { quoteText } from '../../endpoint/quote-sql.js';
import { listItems } from '../../endpoint/type-name.js';
import { alterStatements } from './cluster-alter.js';
import { localName, onCluster, qualified, type Cluster } from '../../gateway/schema/cluster-names.js';
import { closingBracket, masked, withoutComments } from '../../gateway/schema/statement-text.js';

/**
 * Translates a schema statement, written for one server, to a cluster: each table becomes a replicated `NAME_local`
 * on every shard, under a Distributed table NAME. The translated statements name their database and run `ON CLUSTER`.
 *
 * @throws Error naming a statement without a translation: unchanged, it would run on one server only.
 */
export function clusterStatements(statement: string, cluster: Cluster): readonly string[] {
  const bare = withoutComments(statement);
  const translate = TRANSLATIONS.find(([pattern]) => pattern.test(masked(bare)))?.[1];
  if (!translate) throw unsupportedStatement(bare, 'has no translation for clusters');
  return translate(bare, cluster);
}

/**
 * Translates the record of applied migrations: all servers of the cluster, of every shard, are replicas of one table,
 * so the next migration can start from any server.
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
  [
    /^CREATE MATERIALIZED VIEW IF NOT EXISTS \w+ TO \w+\s(?:DEFINER = CURRENT_USER SQL SECURITY DEFINER )?AS\s/,
    viewStatements,
  ],
];

function tableStatements(statement: string, cluster: Cluster): readonly string[] {
  const { name, kind, columnList, rest } = parseTable(statement);
  const local = localName(name);
  const distributed = [
    ...[cluster.name, cluster.database, local].map(quoteText),
    shardingKey(columnList, rest, statement),
  ];
  const create = (table: string): string =>
    `CREATE TABLE IF NOT EXISTS ${qualified(table, cluster)} ${onCluster(cluster)}`;
  return [
    `${create(local)}\n${columnList}\nENGINE = Replicated${kind}MergeTree(${keeperPath(local, cluster)}, '{replica}')${rest}`,
    // AS copies the columns with their defaults and comments, but no indexes and projections.
    `${create(name)} AS ${qualified(local, cluster)}\nENGINE = Distributed(${distributed.join(', ')})${commentOf(rest)}`,
  ];
}

/** Each server fills its local table from its local table. */
function viewStatements(statement: string, cluster: Cluster): readonly string[] {
  const mask = masked(statement);
  const [head = '', name = '', target = ''] =
    /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+)/.exec(mask) ?? [];
  const [source, ...others] = mask.matchAll(/\bFROM (\w+)/g);
  const [clause, table = ''] = source ?? ['', ''];
  if (!source || others.length > 0 || /\bJOIN\b/.test(mask))
    throw unsupportedStatement(statement, 'does not read one table');
  const local = (of: string): string => qualified(localName(of), cluster);
  return [
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${qualified(name, cluster)} ${onCluster(cluster)} TO ${local(target)}` +
      `${statement.slice(head.length, source.index)}FROM ${local(table)}${statement.slice(source.index + clause.length)}`,
  ];
}

interface TableParts {
  readonly name: string;
  /** `Summing`, or empty. */
  readonly kind: string;
  /** Including its brackets. */
  readonly columnList: string;
  /** Everything after the engine. */
  readonly rest: string;
}

function parseTable(statement: string): TableParts {
  const mask = masked(statement);
  const open = mask.indexOf('(');
  const close = closingBracket(mask, open);
  const [engine, kind = ''] =
    /^\s*ENGINE\s*=\s*(Summing)?MergeTree(?:\s*\(\s*\))?(?=\s)/.exec(mask.slice(close + 1)) ?? [];
  if (close === -1 || engine === undefined)
    throw unsupportedStatement(statement, 'has an engine other than MergeTree and SummingMergeTree');
  return {
    kind,
    name: /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(mask)?.[1] ?? '',
    columnList: statement.slice(open, close + 1),
    rest: statement.slice(close + 1 + engine.length),
  };
}

/** A table's comment, which is its last clause. */
function commentOf(clauses: string): string {
  const at = masked(clauses).lastIndexOf('COMMENT');
  return at === -1 ? '' : `\n${clauses.slice(at)}`;
}

/** The path that the replicas of a shard share through the macro `shard`. */
function keeperPath(local: string, { name, database }: Cluster): string {
  return quoteText(`/clickhouse/tables/${name}/{shard}/${database}/${local}`);
}

/**
 * The column that determines the shard of a row: the first of the sorting key that is not a time, else the first of the
 * table. A hash instead of `rand()`, because a repeated INSERT must send its rows to the same shards, which recognize the block.
 */
function shardingKey(columnList: string, clauses: string, statement: string): string {
  const types = new Map(
    listItems(columnList.slice(1, -1)).flatMap((item) => {
      const [, name, type] = /^(?!(?:INDEX|PROJECTION|CONSTRAINT)\s)(\w+)\s+(\w+)/.exec(item) ?? [];
      return name === undefined || type === undefined ? [] : [[name, type] as const];
    }),
  );
  const order = /\bORDER BY\s+(?:\(([^()]*)\)|(\w+))/.exec(clauses);
  const sorted = listItems(order?.[1] ?? order?.[2] ?? '');
  const column = [...sorted, ...types.keys()].find((name) => types.get(name)?.startsWith('Date') === false);
  if (column === undefined)
    throw unsupportedStatement(statement, 'has no column to shard by, other than times');
  return `cityHash64(${column})`;
}

/** An error that names the statement, the reason, and what to do. */
function unsupportedStatement(statement: string, reason: string): Error {
  const [line = ''] = statement.split('\n', 1);
  return new Error(
    `This schema statement cannot be applied to a cluster, because it ${reason}: ${line}. ` +
      'Run it yourself with ON CLUSTER, and leave it out of the schema files, which may contain ' +
      'CREATE TABLE IF NOT EXISTS with the engine MergeTree or SummingMergeTree, ALTER TABLE, and CREATE MATERIALIZED VIEW IF NOT ' +
      'EXISTS … TO … AS over one table.',
  );
}
