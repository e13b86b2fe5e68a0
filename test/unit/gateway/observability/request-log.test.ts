import { Figures } from '../../../../src/endpoint/figures.js';
import { RequestLog, type RequestLogOptions } from '../../../../src/gateway/observability/request-log.js';
import { lineOf, type LogEntry } from '../../../../src/gateway/observability/request-log-columns.js';

const record = (requestId: string): LogEntry => ({
  ...{ requestId, endpoint: 'logs.all', key: 'tester', rows: 1, cache: 'HIT' },
  ...{ at: 0, purpose: 'call', status: 200, code: '', totalMs: 0.1, bytesSent: 0 },
});

/** A request that was rejected because it has no key. */
const withoutKey = (requestId: string, code = 'API_KEY_MISSING'): LogEntry => ({
  ...{ at: 0, purpose: 'call', requestId, status: 401, code, totalMs: 0.1, bytesSent: 0 },
});

/** A request log with the batches that it wrote and the changes that it reported. */
function openLog(options: Partial<RequestLogOptions> = {}) {
  const batches: (readonly string[])[] = [];
  const states: string[] = [];
  const skipped: number[] = [];
  let isBroken = false;
  const requestLog = new RequestLog({
    insert: (lines) => {
      if (isBroken) return Promise.reject(new Error('unavailable'));
      batches.push(
        lines
          .toString()
          .trimEnd()
          .split('\n')
          .map((line) => line.split('\t')[1] ?? ''),
      );
      return Promise.resolve();
    },
    onChange: (state) => states.push(state),
    onSkipped: (count) => skipped.push(count),
    ...options,
  });
  return { requestLog, batches, states, skipped, break: (value: boolean) => (isBroken = value) };
}

describe('RequestLog', () => {
  it('writes noted requests in batches, and writes nothing if there are none', async () => {
    const { requestLog, batches } = openLog({ batch: 2 });
    await requestLog.flush();
    expect(batches).toEqual([]);
    for (const id of ['a', 'b', 'c']) requestLog.note(record(id));
    await requestLog.flush();
    expect(batches).toEqual([['a', 'b'], ['c']]);
    await requestLog.flush();
    expect(batches).toHaveLength(2);
  });

  it('writes a full batch without waiting for the next flush', () => {
    const { requestLog, batches } = openLog({ batch: 2 });
    for (const id of ['a', 'b', 'c']) requestLog.note(record(id));
    expect(batches).toEqual([['a', 'b']]);
  });

  it('leaves what is noted during a write to the next batch, so that ClickHouse gets few inserts', async () => {
    const { requestLog, batches } = openLog({ batch: 2 });
    for (const id of ['a', 'b', 'c']) requestLog.note(record(id));
    await new Promise(setImmediate);
    expect(batches).toEqual([['a', 'b']]);
    for (const id of ['d', 'e']) requestLog.note(record(id));
    await requestLog.flush();
    expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('uses the memory of a written batch again, but not of one that was rejected and may still be read', async () => {
    const used: ArrayBufferLike[] = [];
    const written: string[] = [];
    const { requestLog } = openLog({
      batch: 1,
      insert: (lines) => {
        used.push(lines.buffer);
        written.push(lines.toString());
        return used.length === 2 ? Promise.reject(new Error('unavailable')) : Promise.resolve();
      },
    });
    const ids = ['a', 'longer', 'b', 'c', 'd'];
    for (const id of ids) {
      requestLog.note(record(id));
      await new Promise(setImmediate);
    }
    expect(written).toEqual(ids.map((id) => lineOf(record(id))));
    expect(used.map((memory) => used.indexOf(memory))).toEqual([0, 1, 0, 3, 0]);
  });

  it('keeps the records of several flushes in one batch while a write does not end', async () => {
    const sent: string[] = [];
    let end = (): void => undefined;
    const { requestLog } = openLog({
      insert: (lines) => {
        sent.push(lines.toString().replaceAll(/.*\t(\w)\t\tlogs.all\t.*\n/g, '$1'));
        return new Promise((resolve) => (end = resolve));
      },
    });
    for (const id of ['a', 'b', 'c']) {
      requestLog.note(record(id));
      void requestLog.flush();
    }
    expect(sent).toEqual(['a']);
    end();
    await new Promise(setImmediate);
    expect(sent).toEqual(['a', 'bc']);
  });

  it('drops and counts requests beyond maxWaiting', async () => {
    const { requestLog, batches } = openLog({ maxWaiting: 2 });
    for (const id of ['a', 'b', 'c', 'd']) requestLog.note(record(id));
    await requestLog.flush();
    expect([batches, requestLog.dropped]).toEqual([[['a', 'b']], 2]);
  });

  it('reports once that it drops requests, until all are written', async () => {
    const { requestLog, states } = openLog({ maxWaiting: 2, batch: 3 });
    for (const id of ['a', 'b', 'c', 'd']) requestLog.note(record(id));
    expect(states).toEqual(['full']);
    const written = requestLog.flush();
    for (const id of ['e', 'f']) requestLog.note(record(id));
    expect(states).toEqual(['full']);
    await written;
    expect(states).toEqual(['full', 'writing']);
    for (const id of ['g', 'h', 'i']) requestLog.note(record(id));
    expect(states).toEqual(['full', 'writing', 'full']);
  });

  it('does not report dropped requests while it reports failed batches', async () => {
    const { requestLog, states, ...clickhouse } = openLog({ maxWaiting: 1 });
    clickhouse.break(true);
    requestLog.note(record('a'));
    await requestLog.flush();
    for (const id of ['b', 'c']) requestLog.note(record(id));
    expect(states).toEqual(['failing']);
    await requestLog.flush();
    await requestLog.flush();
    expect(states).toEqual(['failing']);
  });

  it('loses a rejected batch, reports that once, and continues', async () => {
    const { requestLog, batches, states, ...clickhouse } = openLog();
    clickhouse.break(true);
    for (const id of ['a', 'b']) {
      requestLog.note(record(id));
      await requestLog.flush();
    }
    clickhouse.break(false);
    requestLog.note(record('c'));
    await requestLog.flush();
    expect([batches, requestLog.dropped, states]).toEqual([[['c']], 2, ['failing', 'writing']]);
  });

  it('writes a sample of the requests without a key, of each code, and counts the rest', async () => {
    const { requestLog, batches, skipped } = openLog({ maxWithoutKey: 2 });
    for (const id of ['a', 'b', 'c', 'd']) requestLog.note(withoutKey(id));
    for (const id of ['e', 'f', 'g']) requestLog.note(withoutKey(id, 'API_KEY_INVALID'));
    for (const id of ['h', 'i', 'j']) requestLog.note(record(id));
    await requestLog.flush();
    expect(batches).toEqual([['a', 'b', 'e', 'f', 'h', 'i', 'j']]);
    expect([requestLog.skipped, skipped, requestLog.dropped]).toEqual([3, [3], 0]);
  });

  it('starts a new sample after each flush', async () => {
    const { requestLog, batches, skipped } = openLog({ maxWithoutKey: 1 });
    for (const id of ['a', 'b']) requestLog.note(withoutKey(id));
    await requestLog.flush();
    await requestLog.flush();
    for (const id of ['c', 'd', 'e']) requestLog.note(withoutKey(id));
    await requestLog.flush();
    expect([batches, requestLog.skipped, skipped]).toEqual([[['a'], ['c']], 3, [1, 2]]);
  });

  it('reserves room for requests with a key during a flood of requests without one', async () => {
    const { requestLog, batches } = openLog({ maxWaiting: 20 });
    for (let n = 0; n < 100_000; n += 1) requestLog.note(withoutKey(String(n)));
    requestLog.note(record('mine'));
    await requestLog.flush();
    expect(batches[0]).toHaveLength(11);
    expect(batches[0]).toContain('mine');
    expect(requestLog.dropped).toBe(0);
  });

  it('never runs two writes at a time', async () => {
    let release = (): void => undefined;
    let writing = 0;
    const { requestLog } = openLog({
      insert: async () => {
        writing += 1;
        await new Promise<void>((resolve) => (release = resolve));
      },
    });
    requestLog.note(record('a'));
    const first = requestLog.flush();
    requestLog.note(record('b'));
    const second = requestLog.flush();
    expect(writing).toBe(1);
    release();
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await Promise.all([first, second]);
    expect(writing).toBe(2);
  });
});

it('a row has every fact of a request, and empty texts and zeros for those that it lacks', () => {
  const cost = new Figures({ rowsRead: 10, bytesRead: 100, clickhouseMs: 1.23456 });
  const query = { digest: 'd'.repeat(64), hash: 'e'.repeat(64) };
  const caused = { queryId: 'q', cost, waitingMs: 0.25 };
  const entry = { ...record('r'), ...query, caused, charged: { cost, callers: 4 }, saved: cost };
  const [digest, hash] = ['d'.repeat(32), 'e'.repeat(32)];
  expect(lineOf(entry).split('\t')).toEqual([
    ...['1970-01-01T00:00:00.000Z', 'r', 'q', 'logs.all', digest, hash, 'tester', '200', '', 'HIT'],
    ...['1', '10', '100', '0.1', '0.25', '1.235', 'call', '0', '2.5', '25', '0.309', '10', '100', '', '\n'],
  ]);
  expect(lineOf(withoutKey('r'))).toBe(
    '1970-01-01T00:00:00.000Z\tr\t\t\t\t\t\t401\tAPI_KEY_MISSING\t\t0\t0\t0\t0.1\t0\t0\tcall\t0\t0\t0\t0\t0\t0\t\t\n',
  );
});
