import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../../src/clickhouse/connection.js';
import { inTurn } from '../../../src/clickhouse/in-turn.js';

const withCode = (code: string): Error => Object.assign(new Error('lost'), { code });

describe('inTurn', () => {
  const clients: readonly ClickHouseClient[] = ['a', 'b'].map((host) =>
    connectClickHouse(
      { url: `http://${host}.test:8123`, username: 'default', password: '', database: 'logs' },
      { maxOpenConnections: 1, requestTimeoutMs: 1000 },
    ),
  );
  /** Which servers were asked, by their place. */
  let asked: number[];
  let faults: Partial<Record<number, Error>>;
  let run: ReturnType<typeof inTurn>;
  beforeEach(() => {
    [asked, faults, run] = [[], {}, inTurn(clients)];
  });
  const task = (client: ClickHouseClient): Promise<number> => {
    const place = clients.indexOf(client);
    asked.push(place);
    const fault = faults[place];
    return fault ? Promise.reject(fault) : Promise.resolve(place);
  };

  it('stays with the server that serves', async () => {
    for (let n = 0; n < 3; n += 1) await run(task);
    expect(asked).toEqual([0, 0, 0]);
  });

  it('goes to the next one where nothing was sent, and stays there', async () => {
    faults = { 0: withCode('ECONNREFUSED') };
    expect(await run(task)).toBe(1);
    expect(await run(task)).toBe(1);
    expect(asked).toEqual([0, 1, 1]);
  });

  it('asks each once where none can be reached, and begins anew', async () => {
    faults = { 0: withCode('ECONNREFUSED'), 1: withCode('ENOTFOUND') };
    await expect(run(task)).rejects.toThrow('lost');
    expect(asked).toEqual([0, 1]);
    faults = { 1: withCode('ECONNREFUSED') };
    expect(await run(task)).toBe(0);
  });

  it.each([withCode('ECONNRESET'), new Error('Timeout error.')])(
    'does not repeat what the server may have done (%s), and goes to the next one for the next task',
    async (fault) => {
      faults = { 0: fault };
      await expect(run(task)).rejects.toBe(fault);
      expect(asked).toEqual([0]);
      expect(await run(task)).toBe(1);
    },
  );

  it('stays with the server that says what is wrong', async () => {
    faults = { 0: new ClickHouseError({ message: 'no', code: '60', type: 'UNKNOWN_TABLE' }) };
    await expect(run(task)).rejects.toBe(faults[0]);
    faults = {};
    expect(await run(task)).toBe(0);
  });
});
