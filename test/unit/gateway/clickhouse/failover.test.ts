import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../../../src/gateway/clickhouse/connect-clickhouse.js';
import { withFailover } from '../../../../src/gateway/clickhouse/failover.js';

const withCode = (code: string): Error => Object.assign(new Error('lost'), { code });

describe('withFailover', () => {
  const clients: readonly ClickHouseClient[] = ['a', 'b'].map((host) =>
    connectClickHouse(
      { url: `http://${host}.test:8123`, username: 'default', password: '', database: 'logs' },
      { maxOpenConnections: 1, requestTimeoutMs: 1000 },
    ),
  );
  /** Indexes of the servers that ran a task. */
  let called: number[];
  let errors: Partial<Record<number, Error>>;
  let run: ReturnType<typeof withFailover>;
  beforeEach(() => {
    [called, errors, run] = [[], {}, withFailover(clients)];
  });
  const task = (client: ClickHouseClient): Promise<number> => {
    const index = clients.indexOf(client);
    called.push(index);
    const error = errors[index];
    return error ? Promise.reject(error) : Promise.resolve(index);
  };

  it('stays with a server that succeeds', async () => {
    for (let n = 0; n < 3; n += 1) await run(task);
    expect(called).toEqual([0, 0, 0]);
  });

  it('moves to the next server when nothing was sent, and stays there', async () => {
    errors = { 0: withCode('ECONNREFUSED') };
    expect(await run(task)).toBe(1);
    expect(await run(task)).toBe(1);
    expect(called).toEqual([0, 1, 1]);
  });

  it('tries each server once when none is reachable, and starts over with the next task', async () => {
    errors = { 0: withCode('ECONNREFUSED'), 1: withCode('ENOTFOUND') };
    await expect(run(task)).rejects.toThrow('lost');
    expect(called).toEqual([0, 1]);
    errors = { 1: withCode('ECONNREFUSED') };
    expect(await run(task)).toBe(0);
  });

  it.each([withCode('ECONNRESET'), new Error('Timeout error.')])(
    'does not repeat a task that the server may have run (%s), and runs the next task on the next server',
    async (error) => {
      errors = { 0: error };
      await expect(run(task)).rejects.toBe(error);
      expect(called).toEqual([0]);
      expect(await run(task)).toBe(1);
    },
  );

  it('stays with a server that returns an error', async () => {
    errors = { 0: new ClickHouseError({ message: 'no', code: '60', type: 'UNKNOWN_TABLE' }) };
    await expect(run(task)).rejects.toBe(errors[0]);
    errors = {};
    expect(await run(task)).toBe(0);
  });
});
