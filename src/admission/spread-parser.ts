import { Failure } from '../errors.js';
import type { SqlParser } from '../execution/sandbox.js';

/** The parser of one server. */
export interface ServerParser {
  readonly parser: SqlParser;
  readonly isServing: () => boolean;
}

/**
 * Parsers of several servers as one: they take turns, those that are set aside come last, and what a server can't be
 * reached for is asked of the next one, once. Parsing reads no data and changes nothing, so that it can be asked twice.
 */
export function spreadParser(servers: readonly ServerParser[]): SqlParser {
  let turn = 0;
  const inOrder = (): readonly SqlParser[] => {
    turn = (turn + 1) % servers.length;
    const turned = [...servers.slice(turn), ...servers.slice(0, turn)];
    const serving = turned.filter(({ isServing }) => isServing());
    return [...serving, ...turned.filter((server) => !serving.includes(server))].map(({ parser }) => parser);
  };
  const ask = async <T>(signal: AbortSignal, task: (parser: SqlParser) => Promise<T>): Promise<T> => {
    const [first, second] = inOrder();
    if (!first) throw new Error('no server to ask');
    try {
      return await task(first);
    } catch (error) {
      if (!second || signal.aborted || !isUnreachable(error)) throw error;
      return task(second);
    }
  };
  return {
    print: (sql, signal) => ask(signal, (parser) => parser.print(sql, signal)),
    tree: (text, signal) => ask(signal, (parser) => parser.tree(text, signal)),
    tables: (signal) => ask(signal, (parser) => parser.tables(signal)),
  };
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'CLICKHOUSE_UNREACHABLE';
}
