import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { runDistributed } from '../../../../src/gateway/clickhouse/query-runner.js';
import type { ClusterOptions } from '../../../../src/gateway/clickhouse/query-settings.js';
import type { Priority, QueryResult } from '../../../../src/gateway/query/ports.js';
import { resultOf } from '../../../support/fake-run-query.js';
import { queryRequest } from '../../../support/query-requests.js';

const SHARD_UNREACHABLE = new ClickHouseError({
  message: 'All connection tries failed',
  code: '279',
  type: 'ALL_CONNECTION_TRIES_FAILED',
});

/** Runs a query whose attempts have these outcomes, and returns the settings of each attempt. */
async function runWithOutcomes(
  clusterOptions: ClusterOptions,
  outcomes: readonly (Error | QueryResult)[],
  priority: Priority = 'interactive',
): Promise<{ readonly outcome: unknown; readonly settings: readonly ClickHouseSettings[] }> {
  const settings: ClickHouseSettings[] = [];
  const run = (attempt: ClickHouseSettings): Promise<QueryResult> => {
    const outcome = outcomes[settings.length] ?? new Error('unexpected attempt');
    settings.push(attempt);
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
  it('requires every shard, whatever the profile of the user says', async () => {
    const { outcome, settings } = await runWithOutcomes({}, [ROWS]);
    expect(outcome).toEqual(ROWS);
    expect(settings).toMatchObject([{ skip_unavailable_shards: 0, distributed_product_mode: 'global' }]);
  });

  it('skips shards by the sharding keys only with skipsShards', async () => {
    expect((await runWithOutcomes({}, [ROWS])).settings[0]).not.toHaveProperty('optimize_skip_unused_shards');
    expect((await runWithOutcomes({ skipsShards: true }, [ROWS])).settings).toMatchObject([
      { optimize_skip_unused_shards: 1 },
    ]);
  });

  it('fails when a shard is unreachable', async () => {
    const { outcome, settings } = await runWithOutcomes({}, [SHARD_UNREACHABLE]);
    expect([outcome, settings.length]).toEqual([SHARD_UNREACHABLE, 1]);
  });

  it('is rerun on the other shards with allowsPartial, and the result is marked as partial', async () => {
    const { outcome, settings } = await runWithOutcomes({ allowsPartial: true, skipsShards: true }, [
      SHARD_UNREACHABLE,
      ROWS,
    ]);
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

  it('is not marked as partial when nothing is missing', async () => {
    const { outcome, settings } = await runWithOutcomes({ allowsPartial: true }, [ROWS]);
    expect([outcome, settings.length]).toEqual([ROWS, 1]);
  });

  it('fails when the second attempt fails', async () => {
    const none = new ClickHouseError({ message: '', code: '904', type: 'TOO_MANY_UNAVAILABLE_SHARDS' });
    expect((await runWithOutcomes({ allowsPartial: true }, [SHARD_UNREACHABLE, none])).outcome).toBe(none);
  });

  it('is not rerun after another error', async () => {
    const slow = new ClickHouseError({ message: '', code: '159', type: 'TIMEOUT_EXCEEDED' });
    const { outcome, settings } = await runWithOutcomes({ allowsPartial: true }, [slow, ROWS]);
    expect([outcome, settings.length]).toEqual([slow, 1]);
  });

  it('never returns a partial result to warming', async () => {
    const { outcome, settings } = await runWithOutcomes(
      { allowsPartial: true },
      [SHARD_UNREACHABLE, ROWS],
      'warming',
    );
    expect([outcome, settings.length]).toEqual([SHARD_UNREACHABLE, 1]);
  });
});
