import { isQuery, readFrame } from '../../endpoint/sql-file/select/frame.js';
import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { wordOf, type Node, type TokenNode } from '../../endpoint/sql-file/select/nodes.js';
import { readNodes } from '../../endpoint/sql-file/select/read-nodes.js';
import { readSingleStatement } from '../../endpoint/sql-file/select/single-statement.js';
import { metadataSelect } from './metadata-select.js';
import { readSelect, type StatementContext } from './read-select.js';
import { unknownDatabase } from './resolve-name.js';
import {
  CODES,
  StatementProblem,
  type SelectStatement,
  type Statement,
  type TableNames,
} from './statement.js';
import { readSettings, readTail, type Tail } from './tail.js';
import { isGroup, textOf } from './words.js';

export type { StatementContext } from './read-select.js';

/** Reads a client's statement, and gives each table that it reads an internal name. @throws StatementProblem */
export function readStatement(sql: string, names: TableNames, context: StatementContext): Statement {
  const { nodes, tokens, tail } = readWhole(sql);
  const select = (of: readonly Node[], all = tokens): SelectStatement => {
    const [start = 0, end = 0] = [of[0]?.start, of.at(-1)?.end];
    const own = all.filter((token) => token.start >= start && token.end <= end);
    return { ...readSelect(of, own, names, context), ...tail.output };
  };
  const written = (text: string): SelectStatement => {
    const whole = readWhole(text);
    return select(whole.nodes, whole.tokens);
  };
  if (beginsSelect(nodes)) return { kind: 'select', ...select(nodes) };
  if (/^DESC(?:RIBE)?$/.test(wordOf(nodes[0]))) {
    const described = nodes.slice(wordOf(nodes[1]) === 'TABLE' ? 2 : 1);
    const [first, last] = [described.at(0), described.at(-1)];
    const isInBrackets = described.length === 1 && isGroup(first, '(');
    if (beginsSelect(described))
      return { kind: 'describe', ...select(isInBrackets ? first.nodes : described) };
    // A table with arguments is described through a SELECT, because that validates the arguments.
    if (isGroup(last, '('))
      return { kind: 'describe', ...written(`SELECT * FROM ${sql.slice(first?.start, last.end)}`) };
  }
  const metadata = metadataSelect(tokens.map(({ text }) => text).join(' '), names, context.database);
  return metadata === undefined ? readCommand(nodes, names) : { kind: 'select', ...written(metadata) };
}

interface Whole {
  readonly nodes: readonly Node[];
  readonly tokens: readonly TokenNode[];
  readonly tail: Tail;
}

/** Maximum number of words, numbers and symbols. Reading twice as many would block other requests for a quarter of a second. */
const MAX_TOKENS = 60_000;

function readWhole(sql: string): Whole {
  const { tokens, problems } = readSingleStatement(sql);
  if (tokens.length > MAX_TOKENS) {
    throw new StatementProblem(
      CODES.QUERY_IS_TOO_LARGE,
      `The statement has more than ${MAX_TOKENS} words, numbers and symbols. Send long lists as the value of a parameter.`,
    );
  }
  const tree = readNodes(sql, tokens, false);
  const [first] = [...problems, ...tree.problems];
  if (first) throw new StatementProblem(CODES.SYNTAX_ERROR, first.problem);
  const { words } = readFrame(tree.nodes);
  const tail = readTail(words);
  const end = words[tail.start]?.node.start ?? sql.length;
  const isBefore = ({ start }: Node): boolean => start < end;
  return { nodes: tree.nodes.filter(isBefore), tokens: tokens.filter(isBefore), tail };
}

/** Whether the nodes begin a SELECT, possibly in brackets. */
function beginsSelect([first]: readonly Node[]): boolean {
  if (isGroup(first, '(')) return isQuery(first.nodes) || beginsSelect(first.nodes);
  return /^(?:SELECT|WITH|FROM)$/.test(wordOf(first));
}

/** Reads a statement that does not read a table. */
function readCommand(nodes: readonly Node[], names: TableNames): Statement {
  const [first, second, ...more] = nodes;
  const nothing = { kind: 'nothing', settings: new Map<string, string>() } as const;
  switch (wordOf(first)) {
    case 'SET':
      if (/^(?:DEFAULT|ROLE)$/.test(wordOf(second))) return nothing;
      return { kind: 'nothing', settings: readSettings(nodes.slice(1)) };
    case 'USE':
      if (second && isName(second) && more.length === 0 && names.isDatabase(nameOf(second))) return nothing;
      throw unknownDatabase(second ? nameOf(second) : '');
    case 'KILL': {
      const form = nodes
        .map((node) => (node.kind === 'token' && node.type !== 'string' ? node.text : '?'))
        .join(' ');
      const queryId = textOf(nodes[5]);
      if (queryId !== undefined && /^KILL QUERY WHERE query_id = \?(?: A?SYNC)?$/i.test(form))
        return { kind: 'kill', queryId };
      throw new StatementProblem(
        CODES.ACCESS_DENIED,
        "KILL is allowed as KILL QUERY WHERE query_id = '…' only.",
      );
    }
    default:
      throw refusal(first);
  }
}

const COMMANDS = new Set(
  `ALTER ATTACH BACKUP CHECK CREATE DELETE DETACH DROP EXCHANGE EXECUTE EXPLAIN GRANT INSERT MOVE OPTIMIZE RENAME REPLACE RESTORE REVOKE
  SYSTEM TRUNCATE UNDROP UPDATE WATCH`.split(/\s+/),
);

function refusal(first: Node | undefined): StatementProblem {
  const advice =
    'Tables can be read by SELECT, and described by DESCRIBE, EXISTS, and SHOW DATABASES, TABLES, COLUMNS, CREATE, FUNCTIONS, SETTINGS, ' +
    'ENGINES and CLUSTERS, with LIKE and LIMIT.';
  const word = wordOf(first);
  const refused = (code: keyof typeof CODES, problem: string): StatementProblem =>
    new StatementProblem(CODES[code], `${problem}. ${advice}`);
  if (/^(?:BEGIN|COMMIT|ROLLBACK|START)$/.test(word))
    return refused('NOT_IMPLEMENTED', 'There are no transactions here');
  if (word === 'SHOW') return refused('ACCESS_DENIED', 'This SHOW is not allowed');
  if (COMMANDS.has(word)) return refused('ACCESS_DENIED', `${word} is not allowed`);
  return refused(
    'SYNTAX_ERROR',
    first ? 'The statement has no form that is supported' : 'The statement is empty',
  );
}
