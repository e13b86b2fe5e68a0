import { withCallTools } from '../../../src/commands/clickhouse/call-tools.js';
import type { CheckTools } from '../../../src/commands/check/check-endpoint.js';
import type { Endpoint } from '../../../src/endpoint/endpoint.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { readConfig } from '../../../src/gateway/config/config.js';
import { LocalStore } from '../../../src/gateway/cache/local-store.js';
import type { Call } from '../../../src/gateway/query/call.js';
import { bindCall } from '../../../src/gateway/query/endpoint-query.js';
import { requestOf } from '../../../src/gateway/query/fetch-result.js';
import { PieceComposer } from '../../../src/gateway/query/pieces/composer.js';
import { PieceVerifier } from '../../../src/gateway/query/pieces/verifier.js';
import type { RunQuery } from '../../../src/gateway/query/ports.js';
import { EVERY_ROW } from '../../../src/gateway/query/row-scope.js';
import { openVersions } from '../../../src/gateway/server/open-versions.js';
import { versionedEndpoint, VersionedServer } from '../../support/versioned-gateway.js';
import { openForAll } from '../../support/opened.js';

const HEADER = `parameters:
  from: { kind: timestamp, description: The begin. }
  to: { kind: timestamp, description: The end. }
  tenant: { kind: string, description: A tenant. }
tenant: { events: tenant }
columns: { bucket: "DateTime('UTC')", n: UInt64 }
pieces: { table: events, time: t, bucket: bucket, from: from, to: to }`;
const SELECT =
  "SELECT toStartOfHour(t) AS bucket, count() AS n FROM events WHERE 1 [[AND @tenant != '']] [[AND t >= @from]] [[AND t < @to]] GROUP BY bucket ORDER BY bucket";

const server = openForAll(() => VersionedServer.start());

beforeAll(async () => {
  await server.run(
    "CREATE TABLE events (t DateTime('UTC'), tenant String MATERIALIZED if(toHour(t) < 12, 'a', 'b')) ENGINE = MergeTree PARTITION BY toYYYYMMDD(t) ORDER BY t",
  );
});

beforeEach(async () => {
  await server.run('TRUNCATE TABLE events');
  await server.run(
    "INSERT INTO events SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number * 3600 FROM numbers(3 * 24)",
  );
});

/** Of which tenant the rows are, and where the outcomes of verifications go. */
interface Verified {
  readonly tenant?: string | undefined;
  readonly verifications?: string[];
}

/** Composes the result of a call several times; resolves to the rows that each counts, `whole` for one that is not composed. */
async function composed(
  times: number,
  around: (number: number, run: () => ReturnType<RunQuery>) => ReturnType<RunQuery>,
  { tenant, verifications }: Verified = {},
): Promise<readonly (number | 'whole')[]> {
  const endpoint: Endpoint = readSqlEndpoint(versionedEndpoint('guarded', 1, HEADER, SELECT));
  const config = readConfig({ API_KEY: 'a key of every caller' });
  const { signal } = new AbortController();
  const compose = async (tools: CheckTools): Promise<readonly (number | 'whole')[]> => {
    // Every read is a new one: `check` has passed each time.
    let at = 0;
    const clock = (): Date => new Date((at += 2000));
    const versions = openVersions(server.server.adminConnection, { clock });
    const { dataVersions } = versions;
    let number = 0;
    const runQuery: RunQuery = (request) => around((number += 1), () => tools.runQuery(request));
    const store = new LocalStore(1_000_000, clock);
    const verifier = new PieceVerifier({
      ...{ runQuery, dataVersions, random: () => (verifications ? 0 : 1) },
      onVerified: (_endpoint, outcome) => verifications?.push(outcome),
      purge: () => Promise.resolve(),
    });
    const composer = new PieceComposer({
      ...{ runQuery, store, dataVersions, verifier, clock, onComposed: () => undefined },
    });
    const names = [...endpoint.parameters.keys()];
    const values = new Map(names.map((name) => [name, name === 'tenant' ? (tenant ?? null) : null]));
    const scope = tenant === undefined ? EVERY_ROW : JSON.stringify([['tenant', tenant]]);
    const call: Call = { endpoint, values, scope, requestId: 'test', signal, demand: 'any' };
    const run = (): ReturnType<PieceComposer['compose']> =>
      composer.compose(call, bindCall(call), (bound, data) => requestOf(call, bound, clock(), data));
    // The first result of a kind is not composed.
    expect(await run()).toBeUndefined();
    const results: (number | 'whole')[] = [];
    for (let time = 0; time < times; time += 1) {
      const rows = await run();
      await verifier.idle();
      const { result } = JSON.parse(String(rows?.body ?? '{}')) as { result?: { n: number }[] };
      results.push(result ? result.reduce((sum, { n }) => sum + n, 0) : 'whole');
    }
    await versions.close();
    return results;
  };
  return withCallTools(server.server.adminConnection, config, signal, compose);
}

it.each([
  ['every row', undefined, 72],
  ['those of a tenant', 'a', 36],
])('verifies kept pieces by one query over the same rows: %s', async (_which, tenant, count) => {
  const verifications: string[] = [];
  const counts = await composed(3, (_number, run) => run(), { tenant, verifications });
  expect([counts, verifications]).toEqual([
    [count, count, count],
    ['equal', 'equal'],
  ]);
});

it('keeps no rows of a part that came after the first read of the versions and went before the second', async () => {
  const counts = await composed(2, async (number, run) => {
    if (number !== 1) return run();
    await server.run("INSERT INTO events VALUES ('2026-01-01 07:00:00')");
    const result = await run();
    const [part] = await server.rows(
      "SELECT name FROM system.parts WHERE database = 'logs' AND table = 'events' AND active AND rows = 1",
    );
    await server.run(`ALTER TABLE events DROP PART '${String(part?.['name'])}'`);
    return result;
  });
  expect(counts).toEqual([72, 72]);
});

it('composes again where an earlier partition changes between its query and the second read', async () => {
  const counts = await composed(2, async (number, run) => {
    const result = await run();
    if (number === 1) await server.run("INSERT INTO events VALUES ('2026-01-01 07:00:00')");
    return result;
  });
  expect(counts).toEqual([73, 73]);
});

it('queries the whole where an earlier partition changes each time', async () => {
  const counts = await composed(1, async (_number, run) => {
    const result = await run();
    await server.run("INSERT INTO events VALUES ('2026-01-01 07:00:00')");
    return result;
  });
  expect(counts).toEqual(['whole']);
});

it('composes while the last partition gets rows all the time', async () => {
  let inserted = 0;
  const counts = await composed(4, async (_number, run) => {
    await server.run("INSERT INTO events VALUES ('2026-01-03 23:00:00')");
    inserted += 1;
    return run();
  });
  expect(counts).not.toContain('whole');
  expect(counts.at(-1)).toBe(72 + inserted);
});
