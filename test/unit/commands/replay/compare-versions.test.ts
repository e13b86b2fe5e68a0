import { replayCalls, type Replay, type Verdict } from '../../../../src/commands/replay/compare-versions.js';
import type { RecordedCall } from '../../../../src/commands/replay/recorded-calls.js';
import { tallyOf } from '../../../../src/commands/replay/report.js';
import { defineEndpoint, type Endpoint } from '../../../../src/endpoint/endpoint.js';
import { sql } from '../../../../src/endpoint/sql.js';
import { Failure } from '../../../../src/gateway/errors.js';
import type { QueryRequest, QueryResult } from '../../../../src/gateway/query/ports.js';
import { costOf } from '../../../support/fake-run-query.js';
import { SAMPLE } from '../../../support/sample-endpoint.js';

const BEFORE = defineEndpoint(SAMPLE);
const AFTER = defineEndpoint({ ...SAMPLE, build: ({ city }) => sql`SELECT upper(${city}) AS city` });

const call = (city: string): RecordedCall => ({
  ...{ endpoint: 'sample', parameters: JSON.stringify([['city', city]]), pins: '', omitted: '' },
  ...{ calls: 1, queries: 1, rows_read: 0, clickhouse_ms: 0, last: '' },
});

const isAfter = ({ query: { text } }: QueryRequest): boolean => text.includes('upper(');

function rows(data: readonly object[], type = 'String'): QueryResult {
  const body = { meta: [{ name: 'city', type }], data };
  const cost = costOf({ clickhouseMs: 1000 });
  return { body: Buffer.from(JSON.stringify(body)), rowCount: data.length, truncated: false, cost };
}

/** Replays calls on a ClickHouse that responds like this, and counts its queries. */
async function replayed(
  respond: (request: QueryRequest, query: number) => QueryResult,
  { calls = [call('Rome')], budgetMs = Infinity, before = [BEFORE] as readonly Endpoint[] } = {},
): Promise<Replay & { readonly queries: number }> {
  let queries = 0;
  const replay = await replayCalls(calls, {
    runQuery: (request) => Promise.resolve().then(() => respond(request, (queries += 1))),
    now: () => new Date('2026-05-17T10:05:00Z'),
    signal: new AbortController().signal,
    budgetMs,
    versionsOf: () => ({ before: before[0], after: AFTER }),
  });
  return { ...replay, queries };
}

async function verdictOf(
  respond: (request: QueryRequest, query: number) => QueryResult,
): Promise<Verdict | undefined> {
  return (await replayed(respond)).endpoints[0]?.replayed[0]?.verdict;
}

const fail = (code: 'CLICKHOUSE_FAILED' | 'CLICKHOUSE_UNREACHABLE', message = 'No.'): never => {
  throw new Failure(code, message);
};

describe('a call that is replayed', () => {
  it('is an error where only the other version fails, also while its rows change', async () => {
    expect(
      await verdictOf((request, query) =>
        isAfter(request) ? fail('CLICKHOUSE_FAILED') : rows([{ city: query }]),
      ),
    ).toBe('error');
  });

  it('differs where the columns have other types, also while the rows change', async () => {
    expect(
      await verdictOf((request, query) =>
        rows([{ city: query }], isAfter(request) ? 'FixedString(4)' : 'String'),
      ),
    ).toBe('differs');
  });

  it('has failed, and is not equal, where both versions fail', async () => {
    expect(await verdictOf(() => fail('CLICKHOUSE_FAILED'))).toBe('failed');
  });

  it('is new, and neither equal nor repaired, where only the second version has the endpoint', async () => {
    const [endpoint] = (await replayed(() => rows([{ city: 'ROME' }]), { before: [] })).endpoints;
    expect(endpoint && tallyOf(endpoint)).toMatchObject({ new: 1, equal: 0, repaired: 0 });
  });

  it('ends the replay where ClickHouse does not respond', async () => {
    await expect(replayed(() => fail('CLICKHOUSE_UNREACHABLE', 'Away.'))).rejects.toThrow('Away.');
  });

  it('is moving where an error comes once', async () => {
    let failures = 0;
    const verdict = await verdictOf((request, query) => {
      if (isAfter(request) && (failures += 1) % 2 === 1) fail('CLICKHOUSE_FAILED');
      return rows([{ city: query }]);
    });
    expect(verdict).toBe('moving');
  });

  it('counts as equal without rows', async () => {
    const [endpoint] = (await replayed(() => rows([]))).endpoints;
    expect(endpoint && tallyOf(endpoint)).toMatchObject({ equal: 1, withoutRows: 1 });
  });

  it('is not covered where the budget ends in the middle of its queries', async () => {
    const calls = [call('Rome'), call('Oslo')];
    const respond = (request: QueryRequest): QueryResult =>
      rows([{ city: isAfter(request) ? 'ROME' : 'Rome' }]);
    const { covered, queries, spentMs } = await replayed(respond, { calls, budgetMs: 7000 });
    // The first call differs and is confirmed with six queries; the second gets one.
    expect({ covered, queries, spentMs }).toEqual({
      covered: { distinct: 1, calls: 1 },
      queries: 7,
      spentMs: 7000,
    });
  });
});
