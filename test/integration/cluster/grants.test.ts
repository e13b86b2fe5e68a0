import { neededGrants } from '../../../src/commands/grants/needed-grants.js';
import { withLocalTables } from '../../../src/commands/grants/reader-user-file.js';
import { createTestDatabase } from '../../support/clickhouse.js';
import { referenceEndpoints } from '../../support/reference-project.js';
import { applySchema, openSharedCluster } from '../../support/sharded-servers.js';

describe('the grants on a cluster', () => {
  it('are those on one server and on the local tables, which the users file has in both cases', async () => {
    const endpoints = (await referenceEndpoints()).all();
    const [cluster, database] = await Promise.all([
      openSharedCluster('cluster_grants'),
      createTestDatabase(),
    ]);
    try {
      await applySchema(cluster);
      const onCluster = await neededGrants(cluster.shards[0].admin, endpoints);
      const onOneServer = await neededGrants(database.connection, endpoints);
      expect([onCluster.problems, onOneServer.problems]).toEqual([[], []]);
      const names = ({ grants }: Pick<typeof onCluster, 'grants'>): readonly string[] =>
        grants.map(({ privilege, name }) => `${privilege} ${name}`).sort();
      const expected = names({ grants: withLocalTables(onOneServer.grants) });
      expect(expected).toEqual(expect.arrayContaining(['SELECT edge_logs', 'SELECT edge_logs_local']));
      expect(names(onCluster)).toEqual(expected);
      expect(names({ grants: withLocalTables(onCluster.grants) })).toEqual(expected);
    } finally {
      await database.close();
      await cluster.close();
    }
  });
});
