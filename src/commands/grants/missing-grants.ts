import { text } from 'node:stream/consumers';

import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { withClient } from '../clickhouse/with-client.js';
import { grantStatement, type Grant } from '../../gateway/analysis/reads/grant.js';

/** The statements for the needed grants that the connection's user lacks. Every user may run CHECK GRANT. */
export async function missingGrants(
  connection: ClickHouseConnection,
  needed: readonly Grant[],
): Promise<readonly string[]> {
  return withClient(connection, 60_000, async (client) => {
    // Not by the client's query method, which appends a format: CHECK GRANT accepts none.
    const valueOf = async (query: string): Promise<string> =>
      (await text((await client.exec({ query })).stream)).trim();
    const user = await valueOf('SELECT currentUser()');
    const held = await Promise.all(needed.map((grant) => valueOf(`CHECK ${grantStatement(grant)}`)));
    return needed.filter((_, index) => held[index] !== '1').map((grant) => grantStatement(grant, user));
  });
}
