import type { ClickHouseClient } from '@clickhouse/client';
import { Readable } from 'node:stream';

import { measureInserts } from '../../../src/bench/scale/measure-inserts.js';

/** A server that notes what is emptied and what is inserted into. */
function recordingClient(): { readonly client: ClickHouseClient; readonly done: string[] } {
  const done: string[] = [];
  const client = {
    command: ({ query }: { readonly query: string }) => {
      const [, verb, table] = /^(TRUNCATE TABLE|INSERT INTO) (\S+)/.exec(query) ?? [];
      if (verb !== undefined) done.push(`${verb === 'INSERT INTO' ? 'insert' : 'empty'} ${table}`);
      return Promise.resolve();
    },
    exec: () => Promise.resolve({ stream: Readable.from([Buffer.from('{}\n')]) }),
    query: () => Promise.resolve({ json: () => Promise.resolve([]) }),
  };
  return { client: client as unknown as ClickHouseClient, done };
}

describe('what inserts cost', () => {
  it('is measured on an empty table, with the other table first in every next round', async () => {
    const { client, done } = recordingClient();
    const names = { source: 'logs', database: 'full', plain: 'plain' };
    const cost = await measureInserts(client, names, 'edge_logs', 1);
    const full = ['empty full.edge_logs', 'insert full.edge_logs'];
    const plain = ['empty plain.edge_logs', 'insert plain.edge_logs'];
    expect(done).toEqual([...plain, ...plain, ...full, ...full, ...full, ...full, ...plain, ...plain]);
    expect(Object.values(cost)).not.toContain(NaN);
  });
});
