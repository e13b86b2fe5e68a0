import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';

import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import type { BoundQuery } from '../../src/endpoint/bind.js';
import { createTestGateway, KEY } from '../support/test-gateway.js';
import { NOW, type ProjectedRequest } from './requests-of-projections.js';

type Row = Readonly<Record<string, unknown>>;

/** A gateway's response. */
export interface Returned {
  readonly rows: readonly Row[];
  /** The tables and projections that ClickHouse reads, according to its query plan. */
  readonly sources: () => Promise<readonly string[]>;
}

export type Request = (request: ProjectedRequest) => Promise<Returned>;

/** Settings with which ClickHouse reads only the records. */
export const PROJECTIONS_OFF: Readonly<Record<string, number>> = {
  optimize_use_projections: 0,
  optimize_use_implicit_projections: 0,
  optimize_trivial_count_query: 0,
};

const FIXED_KEY = 'qg_of-project-p';

/** Opens a gateway whose queries have these settings in addition to their own. */
export async function openGateway(
  client: QueryClient,
  further: Readonly<Record<string, number>> = {},
): Promise<Request> {
  const owner = { name: 'p', mayBypassCache: true, pinned: new Map([['project', 'p']]) };
  const gateway = await createTestGateway({
    clock: () => new Date(NOW),
    principals: { [FIXED_KEY]: { ...owner, endpoints: ['usage.api-counts'] } },
  });
  const run = createQueryRunner(client, { timeoutMs: 30_000 });
  const queries = new Map<string, BoundQuery>();
  gateway.runQuery.respondWith((request) => {
    const query = { ...request.query, settings: { ...request.query.settings, ...further } };
    queries.set(request.requestId, query);
    return run({ ...request, query });
  });
  return async ({ path, isPinned = false }) => {
    const { status, text, headers } = await gateway
      .agent()
      .get(`/api/endpoints/query/${path}`)
      .set({ 'X-API-KEY': isPinned ? FIXED_KEY : KEY, 'Cache-Control': 'no-cache' });
    expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
    const { result } = JSON.parse(text) as { readonly result: readonly Row[] };
    const query = queries.get(headers['x-request-id'] ?? '');
    if (!query) throw new Error(`no query was run for ${path}`);
    return { rows: result.map(withoutQuantiles), sources: () => sourcesOf(client, query) };
  };
}

/** Columns that are exact only within a share of rank: merged states may have other values. */
function withoutQuantiles(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/^p\d\d_/.test(name)));
}

async function sourcesOf(
  client: QueryClient,
  { text, parameters, settings = {} }: BoundQuery,
): Promise<readonly string[]> {
  const explained = await client.query({
    query: `EXPLAIN ${text}`,
    query_params: parameters,
    clickhouse_settings: settings,
    format: 'JSONCompactEachRow',
  });
  const lines = await explained.json<[string]>();
  const names = lines.flatMap(([line]) => /ReadFromMergeTree \((?:\w+\.)?(\w+)\)/.exec(line)?.[1] ?? []);
  return [...new Set(names)].sort();
}
