import type { Endpoint } from '../../endpoint/endpoint.js';
import type { OpenClickHouse } from '../../gateway/server/open-clickhouse.js';
import { openVersions } from '../../gateway/server/open-versions.js';
import type { CheckedEndpoint } from './checked-endpoint.js';

/**
 * Adds to what was checked whether the results of each endpoint can be cached until their data changes. That they cannot is a
 * warning where the endpoint is set so.
 *
 * @param source the connection of a user that may read the versions of tables, or why there is none
 */
export async function withUntilChanged(
  checked: readonly CheckedEndpoint[],
  endpoints: readonly Endpoint[],
  source: OpenClickHouse['versions'],
): Promise<readonly CheckedEndpoint[]> {
  const versions = 'reason' in source ? undefined : openVersions(source, { clock: () => new Date() });
  try {
    const reasons = new Map<string, string | undefined>();
    for (const endpoint of endpoints)
      reasons.set(endpoint.name, 'reason' in source ? source.reason : await versions?.reasonOf(endpoint));
    const isSet = new Map(endpoints.map(({ name, settings }) => [name, settings.untilChanged !== undefined]));
    return checked.map((each) => withReason(each, reasons.get(each.name), isSet.get(each.name) ?? false));
  } finally {
    await versions?.close();
  }
}

function withReason(checked: CheckedEndpoint, reason: string | undefined, isSet: boolean): CheckedEndpoint {
  if (reason === undefined) return { ...checked, untilChanged: { possible: true } };
  const warning = `caching: until-changed is not possible, so that results are cached for seconds: ${reason}`;
  return {
    ...checked,
    warnings: isSet ? [...checked.warnings, warning] : checked.warnings,
    untilChanged: { possible: false, reason },
  };
}
