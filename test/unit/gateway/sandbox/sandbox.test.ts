import { Failure } from '../../../../src/gateway/errors.js';
import type { AnalyzeSql, SqlParser } from '../../../../src/gateway/query/sandboxed-select.js';
import { nativeSignal } from '../../../../src/gateway/query/signal.js';
import { createSandbox } from '../../../../src/gateway/sandbox/sandbox.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';

const ENDPOINT = sampleEndpoint({ sandboxing: 'enabled' });
const SQL = 'SELECT 1';

/** Counts analyses and their concurrent queries. Every printed statement is rejected. */
class Analyses {
  started = 0;
  maxConcurrent = 0;
  failure: Failure | undefined;
  private running = 0;
  private readonly query = async <T>(value: T): Promise<T> => {
    this.running += 1;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.running);
    await Promise.resolve();
    this.running -= 1;
    return value;
  };
  private readonly parser: SqlParser = {
    print: (sql) => this.query(sql),
    tree: () => this.query([]),
    tables: () => this.query([]),
    varyingFunctions: () => this.query([]),
    lines: () => this.query([]),
  };

  readonly analyzeSql: AnalyzeSql = async ({ signal }, analysis) => {
    this.started += 1;
    await Promise.resolve();
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure;
    return analysis(this.parser, nativeSignal(signal));
  };
}

describe('createSandbox', () => {
  let analyses: Analyses;
  let check: (sql: string) => Promise<unknown>;
  beforeEach(() => {
    analyses = new Analyses();
    const checkSql = createSandbox(analyses.analyzeSql);
    check = (sql) =>
      checkSql(ENDPOINT, sql, { signal: new AbortController().signal }, new Set()).catch(
        (error: unknown) => error,
      );
  });

  it('analyzes equal concurrent SQL once and caches the verdict', async () => {
    const [first, ...others] = await Promise.all([check(SQL), check(SQL), check(SQL)]);
    expect(first).toMatchObject({ code: 'INVALID_PARAMETERS' });
    for (const other of [...others, await check(SQL)]) expect(other).toEqual(first);
    expect(analyses.started).toBe(1);
  });

  it('runs the queries of an analysis one at a time', async () => {
    await check(SQL);
    expect(analyses.maxConcurrent).toBe(1);
  });

  it('rejects blank SQL without an analysis', async () => {
    expect(await check(' ')).toMatchObject({ code: 'INVALID_PARAMETERS' });
    expect(analyses.started).toBe(0);
  });

  it('neither shares nor caches a rejection for the leader’s limits', async () => {
    analyses.failure = new Failure('LIMIT_EXCEEDED', 'no');
    const [leader, follower] = await Promise.all([check(SQL), check(SQL)]);
    expect([leader, follower]).toMatchObject([{ code: 'LIMIT_EXCEEDED' }, { code: 'INVALID_PARAMETERS' }]);
    expect(analyses.started).toBe(2);
  });
});
