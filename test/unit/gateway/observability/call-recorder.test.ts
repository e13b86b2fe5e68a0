import { Figures } from '../../../../src/endpoint/figures.js';
import {
  CallRecorder,
  type CallRecorderOptions,
  type CallRow,
  type RecordableCall,
} from '../../../../src/gateway/observability/call-recorder.js';
import type { LogEntry } from '../../../../src/gateway/observability/request-log-columns.js';

const cost = new Figures({ rowsRead: 20, bytesRead: 3, clickhouseMs: 1.5 });
const having = (facts: Partial<LogEntry>): LogEntry => ({
  ...{
    at: Date.UTC(2026, 4, 17, 10, 5, 3),
    purpose: 'call',
    status: 200,
    code: '',
    totalMs: 1,
    bytesSent: 512,
  },
  ...{ requestId: 'r', endpoint: 'logs.all', key: 'tester', cache: 'MISS', rows: 1 },
  ...{ digest: 'digest', hash: 'hash', ...facts },
});
const MISS = { caused: { queryId: 'q', cost, waitingMs: 0.25 } };
const RECORD = having(MISS);
const HIT = having({ cache: 'HIT' });
const CALL: RecordableCall = { parameters: { project: 'p' }, pins: '', format: 'json' };
const LATER = { at: Date.UTC(2026, 4, 17, 11) };

/** Notes calls and returns the rows that are written. */
async function written(
  notes: readonly (readonly [LogEntry, RecordableCall])[],
  limits: Pick<CallRecorderOptions, 'maxDistinct' | 'maxOfEndpoint'> = {},
): Promise<readonly CallRow[]> {
  const rows: CallRow[] = [];
  const recorder = new CallRecorder({
    ...limits,
    insert: (batch) => {
      rows.push(...batch);
      return Promise.resolve();
    },
    onLost: (error) => {
      throw error;
    },
  });
  for (const note of notes) recorder.note(...note);
  await recorder.flush();
  return rows;
}

describe('recorded calls', () => {
  it('are one row for equal calls of an hour, with the cost of those that needed a query', async () => {
    const reordered = { ...CALL, parameters: { b: '2', a: '1' } };
    const rows = await written([
      [RECORD, CALL],
      [HIT, CALL],
      [RECORD, CALL],
      [RECORD, reordered],
      [RECORD, { ...CALL, parameters: { a: '1', b: '2' } }],
    ]);
    expect(rows).toMatchObject([
      {
        ...{ hour: '2026-05-17 10:00:00', parameters: '[["project","p"]]', omitted: '' },
        ...{ calls: 3, queries: 2, rows_read: 40, clickhouse_ms: 3 },
      },
      { parameters: '[["a","1"],["b","2"]]', calls: 2 },
    ]);
  });

  it.each([
    ['parameters', RECORD, { parameters: { project: 'other' } }],
    ['pins', RECORD, { pins: '[["project","p"]]' }],
    ['format', RECORD, { format: 'csv' }],
    ['definition', having({ ...MISS, digest: 'other', hash: 'hash' }), {}],
    ['endpoint', having({ ...MISS, endpoint: 'other' }), {}],
    ['hour', { ...RECORD, ...LATER }, {}],
  ])('are two rows for calls whose %s differ', async (_, record, changes) => {
    const rows = await written([
      [RECORD, CALL],
      [record, { ...CALL, ...changes }],
    ]);
    expect(rows.map(({ calls }) => calls)).toEqual([1, 1]);
  });

  it('are only counted, by the reason, where the parameters are not recorded', async () => {
    const secret: RecordableCall = { parameters: {}, pins: '', format: '', omitted: 'secret' };
    const rows = await written([
      [RECORD, secret],
      [RECORD, secret],
      [RECORD, { ...secret, omitted: 'page' }],
    ]);
    const blank = { call: '', definition: '', parameters: '', pins: '', format: '' };
    expect(rows).toMatchObject([
      { ...blank, omitted: 'secret', calls: 2, rows_read: 40 },
      { ...blank, omitted: 'page', calls: 1 },
    ]);
  });

  it('are only counted beyond the most of an hour, and recorded again in the next hour', async () => {
    const other = { ...CALL, parameters: { project: 'other' } };
    const rows = await written(
      [
        [RECORD, CALL],
        [RECORD, other],
        [RECORD, CALL],
        [{ ...RECORD, ...LATER }, other],
      ],
      { maxDistinct: 1 },
    );
    expect(rows).toMatchObject([
      { parameters: '[["project","p"]]', omitted: '', calls: 2 },
      { parameters: '', omitted: 'full', calls: 1 },
      { hour: '2026-05-17 11:00:00', parameters: '[["project","other"]]', omitted: '', calls: 1 },
    ]);
  });

  const many = (count: number, from = 0): readonly RecordableCall[] =>
    Array.from({ length: count }, (_, n) => ({ ...CALL, parameters: { since: String(from + n) } }));
  const recordedOf = (rows: readonly CallRow[]): readonly CallRow[] =>
    rows.filter(({ omitted }) => omitted === '');

  it('are, of an endpoint that has many, the first and a sample, and leave a place for others', async () => {
    const rows = await written(
      [
        ...many(400).map((call) => [RECORD, call] as const),
        [having({ ...MISS, endpoint: 'rare' }), CALL],
        ...many(400).map((call) => [HIT, call] as const),
      ],
      { maxDistinct: 100, maxOfEndpoint: 10 },
    );
    expect(rows).toContainEqual(expect.objectContaining({ endpoint: 'rare', omitted: '' }));
    // Both times that each was called, but of those that lesser digests replaced.
    expect(recordedOf(rows).filter(({ calls }) => calls === 2)).toHaveLength(20);
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(801);
  });

  it('of a key are not pushed out by another key that has many, which came before', async () => {
    const limits = { maxDistinct: 40, maxOfEndpoint: 1000 };
    const of = (key: string, count: number, from: number): readonly (readonly [LogEntry, RecordableCall])[] =>
      many(count, from).map((call) => [having({ ...MISS, key }), call] as const);
    const flood = of('flood', 5000, 0);
    const others = [...of('b', 15, 10_000), ...of('c', 10, 20_000), ...of('d', 30, 30_000)];
    const rows = recordedOf(await written([...flood, ...others], limits));
    const recorded = (from: number): number =>
      rows.filter(({ parameters }) => Math.floor(Number(/\d+/.exec(parameters)) / 10_000) * 10_000 === from)
        .length;
    expect([recorded(10_000), recorded(20_000)]).toEqual([15, 10]);
    // A quarter of the places, and perhaps one of the sample.
    expect(recorded(30_000)).toBeGreaterThanOrEqual(10);
    expect(recorded(30_000)).toBeLessThan(15);
  });

  it('beyond the places are a uniform sample: those with the least digests, in whatever order they come', async () => {
    const limits = { maxDistinct: 200, maxOfEndpoint: 0 };
    const kept = async (calls: readonly RecordableCall[]): Promise<ReadonlySet<string>> => {
      const rows = await written(
        [...calls, ...calls].map((call) => [RECORD, call] as const),
        limits,
      );
      return new Set(recordedOf(rows).flatMap(({ calls: count, call }) => (count === 2 ? [call] : [])));
    };
    const [forward, backward] = [await kept(many(2000)), await kept(many(2000).toReversed())];
    expect([forward.size, backward]).toEqual([20, forward]);
    // Each of 2,000 with the same chance: 20 of them have digests below about 1 %.
    expect([...forward].every((digest) => digest < '08')).toBe(true);
  });

  it('are only counted where their parameters are long', async () => {
    const rows = await written([[RECORD, { ...CALL, parameters: { ids: 'x'.repeat(5000) } }]]);
    expect(rows).toMatchObject([{ omitted: 'long', parameters: '', calls: 1 }]);
  });

  it('are lost, and said to be, where ClickHouse does not accept them; later ones are written', async () => {
    const lost: unknown[] = [];
    const batches: (readonly CallRow[])[] = [];
    const recorder = new CallRecorder({
      insert: (rows) => {
        batches.push(rows);
        return batches.length === 1 ? Promise.reject(new Error('down')) : Promise.resolve();
      },
      onLost: (error) => void lost.push(error),
    });
    recorder.note(RECORD, CALL);
    await recorder.flush();
    recorder.note(RECORD, CALL);
    await recorder.flush();
    await recorder.flush();
    expect(lost).toEqual([new Error('down')]);
    expect(batches).toMatchObject([[{ calls: 1 }], [{ calls: 1 }]]);
  });
});
