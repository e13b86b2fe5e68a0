import type { ClickHouseClient } from '@clickhouse/client';

import { bindQuery, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import type { Values } from '../../endpoint/values.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import { tenantConditions, tenantSettings } from '../../endpoint/tenant-settings.js';
import { READ_ONLY } from '../clickhouse/describe-columns.js';
import { selectRows } from '../clickhouse/select-rows.js';

/** Dependencies of an analysis. */
export interface AnalysisTools {
  readonly client: ClickHouseClient;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/**
 * Query of an endpoint with bound parameters, in the form of a request without pinned parameters. Unlike such a request, it has the tenant
 * filters of the header, so that the analysis finds mistakes in them.
 */
export function bindValues(endpoint: Endpoint, values: Values, { now }: AnalysisTools): BoundQuery {
  const bound = bindQuery(endpoint.query, values, new Set(), now(), rowCap(endpoint) + 1);
  const { tenant = [] } = endpoint.query;
  const given = tenant
    .map(({ reference }) => reference.name)
    .filter((name) => (values.get(name) ?? null) !== null);
  const settings = tenantSettings(tenantConditions(tenant, values, new Set(given)));
  return given.length === 0 ? bound : { ...bound, settings: { ...bound.settings, ...settings } };
}

/** Lines of an EXPLAIN. */
export async function explainLines(
  tools: AnalysisTools,
  explain: string,
  parameters: BoundQuery['parameters'] = {},
): Promise<readonly string[]> {
  const rows = await queryRows<{ readonly explain: string }>(tools, explain, parameters);
  return rows.map((row) => row.explain);
}

/** Runs a query that reads no data of endpoints. */
export function queryRows<T>(
  { client, signal }: AnalysisTools,
  query: string,
  parameters: BoundQuery['parameters'],
): Promise<readonly T[]> {
  const sent = revealedParameters({ parameters });
  return selectRows<T>(client, query, sent, { abort_signal: signal, clickhouse_settings: READ_ONLY });
}
