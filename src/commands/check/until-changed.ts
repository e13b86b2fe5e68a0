import type { Endpoint } from '../../endpoint/endpoint.js';
import type { OpenClickHouse } from '../../gateway/server/open-clickhouse.js';
import { openVersions, type OpenVersions } from '../../gateway/server/open-versions.js';
import type { CallTools } from '../clickhouse/call-tools.js';
import type { CheckedEndpoint } from './checked-endpoint.js';
import { withPieces } from './compose-on-data.js';

/**
 * Adds to checked endpoints whether their results can be cached until their data changes, and whether the results of an endpoint with
 * pieces can be composed. If an endpoint has the setting but this is impossible, the finding is a warning.
 *
 * @param source the connection of the user that reads the versions of tables, or why there is none
 */
export async function withUntilChanged(
  checked: readonly CheckedEndpoint[],
  endpoints: readonly Endpoint[],
  source: OpenClickHouse['versions'],
  tools: CallTools,
): Promise<readonly CheckedEndpoint[]> {
  const versions = 'reason' in source ? source : openVersions(source, { clock: tools.now });
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  try {
    const all: CheckedEndpoint[] = [];
    for (const each of checked) {
      const { completed = byName.get(each.name), ...found } = each;
      all.push(completed ? await withVersions(found, completed, versions, tools) : found);
    }
    return all;
  } finally {
    if (!('reason' in versions)) await versions.close();
  }
}

async function withVersions(
  checked: CheckedEndpoint,
  endpoint: Endpoint,
  versions: OpenVersions | { readonly reason: string },
  tools: CallTools,
): Promise<CheckedEndpoint> {
  const reason = 'reason' in versions ? versions.reason : await versions.reasonOf(endpoint);
  if (reason === undefined && !('reason' in versions)) {
    const possible = { ...checked, untilChanged: { possible: true } };
    return endpoint.pieces && checked.example ? withPieces(possible, endpoint, versions, tools) : possible;
  }
  const warning = `caching: until-changed is not possible, so that results are cached for seconds: ${reason}`;
  return {
    ...checked,
    warnings: endpoint.settings.untilChanged ? [...checked.warnings, warning] : checked.warnings,
    untilChanged: { possible: false, ...(reason !== undefined && { reason }) },
  };
}
