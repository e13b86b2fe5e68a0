import { spreadParser, type ServerParser } from '../../../src/admission/spread-parser.js';
import { Failure, type ErrorCode } from '../../../src/errors.js';
import type { SqlParser } from '../../../src/execution/sandbox.js';

const signal = new AbortController().signal;

/** A server that prints its own name, or fails. */
class FakeParser implements ServerParser {
  asked = 0;
  serves = true;
  fault: Failure | undefined;
  readonly isServing = (): boolean => this.serves;
  readonly parser: SqlParser;

  constructor(name: string) {
    const answer = <T>(value: T): Promise<T> => {
      this.asked += 1;
      return this.fault ? Promise.reject(this.fault) : Promise.resolve(value);
    };
    this.parser = {
      print: () => answer(name),
      tree: () => answer([`tree of ${name}`]),
      tables: () => answer([`table of ${name}`]),
    };
  }
}

describe('spreadParser', () => {
  let servers: readonly [FakeParser, FakeParser, FakeParser];
  let parser: SqlParser;
  beforeEach(() => {
    servers = [new FakeParser('a'), new FakeParser('b'), new FakeParser('c')];
    parser = spreadParser(servers);
  });
  const asked = (): readonly number[] => servers.map((server) => server.asked);

  it('takes servers in turn', async () => {
    for (let n = 0; n < 3; n += 1) {
      await parser.print('SELECT 1', signal);
      await parser.tree('SELECT 1', signal);
      await parser.tables(signal);
    }
    expect(asked()).toEqual([3, 3, 3]);
  });

  it('asks those that are set aside only where all are', async () => {
    servers[0].serves = false;
    for (let n = 0; n < 6; n += 1) await parser.print('SELECT 1', signal);
    expect(asked()[0]).toBe(0);
    for (const server of servers) server.serves = false;
    expect(await parser.tables(signal)).toHaveLength(1);
  });

  it('asks the next one, once, where a server can’t be reached', async () => {
    for (const server of servers) server.fault = new Failure('CLICKHOUSE_UNREACHABLE', 'lost');
    servers[2].fault = undefined;
    const [first, second] = [servers[1], servers[2]];
    expect(await parser.print('SELECT 1', signal)).toBe('c');
    expect([first.asked, second.asked]).toEqual([1, 1]);
    servers[2].fault = first.fault;
    await expect(parser.print('SELECT 1', signal)).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
    expect(asked()).toEqual([1, 1, 2]);
  });

  it.each<ErrorCode>(['INVALID_PARAMETERS', 'CLICKHOUSE_FAILED'])(
    'asks nobody else after %s',
    async (code) => {
      for (const server of servers) server.fault = new Failure(code, 'no');
      await expect(parser.tree('SELECT 1', signal)).rejects.toMatchObject({ code });
      expect(asked().reduce((a, b) => a + b)).toBe(1);
    },
  );

  it('asks nobody else for a caller that has gone', async () => {
    for (const server of servers) server.fault = new Failure('CLICKHOUSE_UNREACHABLE', 'lost');
    await expect(parser.tables(AbortSignal.abort())).rejects.toBeDefined();
    expect(asked().reduce((a, b) => a + b)).toBe(1);
  });
});
