import { isQuery, readFrame } from '../../endpoint/sql-file/select/frame.js';
import { wordOf, type Node, type TokenNode } from '../../endpoint/sql-file/select/nodes.js';
import { readNodes } from '../../endpoint/sql-file/select/read-nodes.js';
import { readSingleStatement } from '../../endpoint/sql-file/select/single-statement.js';
import { Cursor } from './cursor.js';
import { CODES } from './error-codes.js';
import { MetadataSelect, requireEnd } from './metadata-select.js';
import { readSelect, type StatementContext } from './read-select.js';
import { StatementProblem, type SelectStatement, type Statement, type TableNames } from './statement.js';
import { readSettings, readTail, type Tail } from './tail.js';
import { isGroup } from './words.js';

export type { StatementContext } from './read-select.js';

/** Reads a statement of a client, and gives each table that it reads its internal name. @throws StatementProblem */
export function readStatement(sql: string, names: TableNames, context: StatementContext): Statement {
  const whole = readWhole(sql);
  const { nodes, tokens, tail } = whole;
  const end = { format: tail.format, settings: tail.settings };
  const select = (of: readonly Node[]): SelectStatement => {
    const own = tokens.filter(({ start }) => start >= (of[0]?.start ?? 0) && start < (of.at(-1)?.end ?? 0));
    return { ...readSelect(of, own, names, context), ...end };
  };
  const written = (text: string): SelectStatement => {
    const { nodes: of, tokens: own } = readWhole(text);
    return { ...readSelect(of, own, names, context), ...end };
  };
  if (beginsSelect(nodes)) return { kind: 'select', ...select(nodes) };
  const cursor = new Cursor(nodes);
  const metadata = new MetadataSelect(names, context.database);
  if (cursor.take('SHOW')) return { kind: 'select', ...written(metadata.show(cursor)) };
  if (cursor.take('EXISTS')) return { kind: 'select', ...written(metadata.exists(cursor)) };
  if (cursor.takeOne('DESCRIBE', 'DESC')) {
    cursor.take('TABLE');
    const described = selectIn(cursor.rest);
    if (described) return { kind: 'describe', ...select(described) };
    const [first, last] = [cursor.rest.at(0), cursor.rest.at(-1)];
    // The columns of a table with arguments are those of a SELECT, for which the arguments are checked.
    return isGroup(last, '(')
      ? { kind: 'describe', ...written(`SELECT * FROM ${sql.slice(first?.start, last.end)}`) }
      : { kind: 'select', ...written(metadata.describe(cursor)) };
  }
  return commandOf(cursor, names);
}

/** A statement that reads nothing. */
function commandOf(cursor: Cursor, names: TableNames): Statement {
  if (cursor.take('SET')) return { kind: 'nothing', settings: setSettings(cursor) };
  if (cursor.take('USE')) return useDatabase(cursor, names);
  if (cursor.take('KILL')) return { kind: 'kill', queryId: killedQuery(cursor) };
  throw notAllowed(cursor.rest);
}

interface Whole {
  readonly nodes: readonly Node[];
  readonly tokens: readonly TokenNode[];
  readonly tail: Tail;
}

function readWhole(sql: string): Whole {
  const { tokens, problems } = readSingleStatement(sql);
  const tree = readNodes(sql, tokens, false);
  const [first] = [...problems, ...tree.problems];
  if (first) throw new StatementProblem(CODES.SYNTAX_ERROR, first.problem);
  const { words } = readFrame(tree.nodes);
  const tail = readTail(words);
  const end = words[tail.start]?.node.start ?? sql.length;
  const isBefore = ({ start }: Node): boolean => start < end;
  return { nodes: tree.nodes.filter(isBefore), tokens: tokens.filter(isBefore), tail };
}

/** Whether nodes begin a SELECT, in brackets too. */
function beginsSelect([first]: readonly Node[]): boolean {
  if (isGroup(first, '(')) return isQuery(first.nodes) || beginsSelect(first.nodes);
  return ['SELECT', 'WITH', 'FROM'].includes(wordOf(first));
}

/** The SELECT that DESCRIBE has in place of a table, without its brackets. */
function selectIn(nodes: readonly Node[]): readonly Node[] | undefined {
  if (!beginsSelect(nodes)) return undefined;
  const [first] = nodes;
  return nodes.length === 1 && isGroup(first, '(') ? (selectIn(first.nodes) ?? first.nodes) : nodes;
}

function setSettings(cursor: Cursor): ReadonlyMap<string, string> {
  if (cursor.take('ROLE') || cursor.take('DEFAULT', 'ROLE')) return new Map();
  return readSettings(cursor.rest);
}

function useDatabase(cursor: Cursor, names: TableNames): Statement {
  const [database = '', ...more] = cursor.path() ?? [];
  requireEnd(cursor, 'USE');
  if (more.length > 0 || !names.isDatabase(database))
    throw new StatementProblem(
      CODES.UNKNOWN_DATABASE,
      `There is no database ${database}. SHOW DATABASES lists what there is.`,
    );
  return { kind: 'nothing', settings: new Map() };
}

function killedQuery(cursor: Cursor): string {
  const isQueryId = cursor.take('QUERY', 'WHERE', 'QUERY_ID') && cursor.takeSymbol('=');
  const queryId = isQueryId ? cursor.text() : undefined;
  cursor.takeOne('SYNC', 'ASYNC');
  if (queryId !== undefined && cursor.rest.length === 0) return queryId;
  throw new StatementProblem(CODES.ACCESS_DENIED, "KILL is allowed as KILL QUERY WHERE query_id = '…' only.");
}

const TRANSACTIONS = new Set(['BEGIN', 'COMMIT', 'ROLLBACK', 'START']);
const COMMANDS = new Set(
  `ALTER ATTACH BACKUP CHECK CREATE DELETE DETACH DROP EXCHANGE EXECUTE EXPLAIN GRANT INSERT MOVE OPTIMIZE RENAME REPLACE RESTORE REVOKE
  SYSTEM TRUNCATE UNDROP UPDATE WATCH`.split(/\s+/),
);

function notAllowed([first]: readonly Node[]): StatementProblem {
  if (first === undefined)
    return new StatementProblem(CODES.SYNTAX_ERROR, 'The statement is empty. Write a SELECT.');
  const word = wordOf(first);
  if (TRANSACTIONS.has(word))
    return new StatementProblem(
      CODES.NOT_IMPLEMENTED,
      `${word} is not supported: there are no transactions here.`,
    );
  const advice = 'Only tables can be read, by SELECT, SHOW, DESCRIBE and EXISTS.';
  if (COMMANDS.has(word))
    return new StatementProblem(CODES.ACCESS_DENIED, `${word} is not allowed. ${advice}`);
  return new StatementProblem(
    CODES.SYNTAX_ERROR,
    `The statement does not begin as one that is supported. ${advice}`,
  );
}
