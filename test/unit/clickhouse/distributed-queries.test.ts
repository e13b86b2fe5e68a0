import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { runDistributed, type ClusterOptions } from '../../../src/clickhouse/distributed-queries.js';
import type { Priority, QueryResult } from '../../../src/query/ports.js';
import { resultOf } from '../../support/fake-run-query.js';
import { queryRequest } from '../../support/query-requests.js';

const SHARD_AWAY = new ClickHouseError({
  message: 'All connection tries failed',
  code: '279',
  type: 'ALL_CONNECTION_TRIES_FAILED',
});

/** Runs a query whose tries end as listed, and tells the settings of each. */
async function tried(
  clusterOptions: ClusterOptions,
  outcomes: readonly (Error | QueryResult)[],
  priority: Priority = 'interactive',
): Promise<{ readonly outcome: unknown; readonly settings: readonly ClickHouseSettings[] }> {
  const settings: ClickHouseSettings[] = [];
  const run = (given: ClickHouseSettings): Promise<QueryResult> => {
    const outcome = outcomes[settings.length] ?? new Error('one try too many');
    settings.push(given);
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  const request = { ...queryRequest('SELECT 1'), requester: { lane: 'tester', priority } };
  const outcome: unknown = await runDistributed(run, clusterOptions, request).catch(
    (error: unknown) => error,
  );
  return { outcome, settings };
}

const ROWS = resultOf([{ n: 1 }]);

describe('a query on a cluster', () => {
  it('wants every shard, whatever the profile of the user says', async () => {
    const { outcome, settings } = await tried({}, [ROWS]);
    expect(outcome).toEqual(ROWS);
    expect(settings).toMatchObject([{ skip_unavailable_shards: 0, distributed_product_mode: 'global' }]);
  });

  it('leaves shards out by the sharding keys where it is told that rows are where those say, and else not', async () => {
    expect((await tried({}, [ROWS])).settings[0]).not.toHaveProperty('optimize_skip_unused_shards');
    expect((await tried({ skipsShards: true }, [ROWS])).settings).toMatchObject([
      { optimize_skip_unused_shards: 1 },
    ]);
  });

  it('fails where a shard is away', async () => {
    const { outcome, settings } = await tried({}, [SHARD_AWAY]);
    expect([outcome, settings.length]).toEqual([SHARD_AWAY, 1]);
  });

  it('is run again on the others where that is allowed, and its result is marked', async () => {
    const { outcome, settings } = await tried({ allowsPartial: true, skipsShards: true }, [SHARD_AWAY, ROWS]);
    expect(outcome).toEqual({ ...ROWS, partial: true });
    expect(settings).toMatchObject([
      { skip_unavailable_shards: 0 },
      {
        skip_unavailable_shards: 1,
        max_skip_unavailable_shards_ratio: 0.999,
        optimize_skip_unused_shards: 1,
      },
    ]);
  });

  it('is not marked where nothing is missing, though partial answers are allowed', async () => {
    const { outcome, settings } = await tried({ allowsPartial: true }, [ROWS]);
    expect([outcome, settings.length]).toEqual([ROWS, 1]);
  });

  it('fails where the second try does', async () => {
    const none = new ClickHouseError({ message: '', code: '904', type: 'TOO_MANY_UNAVAILABLE_SHARDS' });
    expect((await tried({ allowsPartial: true }, [SHARD_AWAY, none])).outcome).toBe(none);
  });

  it('that fails for another reason is not tried again', async () => {
    const slow = new ClickHouseError({ message: '', code: '159', type: 'TIMEOUT_EXCEEDED' });
    const { outcome, settings } = await tried({ allowsPartial: true }, [slow, ROWS]);
    expect([outcome, settings.length]).toEqual([slow, 1]);
  });

  it('to refresh the cache gets all rows or none', async () => {
    const { outcome, settings } = await tried({ allowsPartial: true }, [SHARD_AWAY, ROWS], 'warming');
    expect([outcome, settings.length]).toEqual([SHARD_AWAY, 1]);
  });
});
