import type { Endpoint } from '../../endpoint/endpoint.js';
import type { OpenClickHouse } from '../../gateway/server/open-clickhouse.js';
import { openVersions, type OpenVersions } from '../../gateway/server/open-versions.js';
import type { CallTools } from '../clickhouse/call-tools.js';
import type { CheckedEndpoint } from './checked-endpoint.js';
import { withPieces } from './compose-on-data.js';

/**
 * Adds to what was checked whether the results of each endpoint can be cached until their data changes, and whether those of an endpoint
 * with pieces can be composed. That they cannot is a warning where the endpoint is set so.
 *
 * @param source the connection of a user that may read the versions of tables, or why there is none
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
