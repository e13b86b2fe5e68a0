import { Failure } from '../../../src/errors.js';
import type { AnalyzeSql, SqlParser } from '../../../src/query/sandboxed-select.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const ENDPOINT = sampleEndpoint({ sandboxing: 'enabled' });
const SQL = 'SELECT 1';

/** Counts analyses and the queries that run at the same time; refuses every statement, once it is printed. */
class Analyses {
  started = 0;
  mostAtOnce = 0;
  refusal: Failure | undefined;
  private running = 0;
  private readonly query = async <T>(value: T): Promise<T> => {
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    await Promise.resolve();
    this.running -= 1;
    return value;
  };
  private readonly parser: SqlParser = {
    print: (sql) => this.query(sql),
    tree: () => this.query([]),
    tables: () => this.query([]),
  };

  readonly analyzeSql: AnalyzeSql = async ({ signal }, analysis) => {
    this.started += 1;
    await Promise.resolve();
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal) throw refusal;
    return analysis(this.parser, signal);
  };
}

describe('createSandbox', () => {
  let analyses: Analyses;
  let judge: (sql: string) => Promise<unknown>;
  beforeEach(() => {
    analyses = new Analyses();
    const checkSql = createSandbox(analyses.analyzeSql);
    judge = (sql) =>
      checkSql(ENDPOINT, sql, { signal: new AbortController().signal }).catch((error: unknown) => error);
  });

  it('analyses equal SQL at the same time once, and remembers the verdict', async () => {
    const [first, ...others] = await Promise.all([judge(SQL), judge(SQL), judge(SQL)]);
    expect(first).toMatchObject({ code: 'INVALID_PARAMETERS' });
    for (const other of [...others, await judge(SQL)]) expect(other).toEqual(first);
    expect(analyses.started).toBe(1);
  });

  it('runs one query at a time in an analysis', async () => {
    await judge(SQL);
    expect(analyses.mostAtOnce).toBe(1);
  });

  it('needs no analysis for what is no text of a statement', async () => {
    expect(await judge(' ')).toMatchObject({ code: 'INVALID_PARAMETERS' });
    expect(analyses.started).toBe(0);
  });

  it('does not share a rejection for the leader’s limits, and remembers none', async () => {
    analyses.refusal = new Failure('LIMIT_EXCEEDED', 'no');
    const [leader, follower] = await Promise.all([judge(SQL), judge(SQL)]);
    expect([leader, follower]).toMatchObject([{ code: 'LIMIT_EXCEEDED' }, { code: 'INVALID_PARAMETERS' }]);
    expect(analyses.started).toBe(2);
  });
});
