import { withSettings, type Endpoint } from '../../src/endpoint/endpoint.js';
import { Failure } from '../../src/gateway/errors.js';
import type { CheckSql } from '../../src/gateway/query/sandboxed-select.js';
import { invalidParameters } from '../../src/gateway/query/validate-parameters.js';
import { withAccess, type AccessGateway, type RequestPath } from '../support/access-gateway.js';
import { outcomeOf } from '../support/network-request.js';
import { referenceEndpoints } from '../support/reference-project.js';

const STATS = '/api/endpoints/query/functions.invocation-stats?project=aurora';
const INVALID = '400 INVALID_PARAMETERS';
const checked: string[] = [];

/** Accepts SQL that begins with SELECT, and prints it with normalized spaces. */
const checkSql: CheckSql = (_endpoint, sql, { signal }) => {
  checked.push(sql);
  signal.throwIfAborted();
  if (sql === 'unreachable') return Promise.reject(new Failure('CLICKHOUSE_UNREACHABLE', 'Away.'));
  if (!sql.startsWith('SELECT')) {
    return Promise.reject(invalidParameters([{ param: 'sql', problem: 'must be a SELECT' }]));
  }
  return Promise.resolve({ text: sql.replaceAll(/\s+/g, ' '), reads: ['result'] });
};

const open = async (sandboxing: 'enabled' | 'disabled', use: (gateway: AccessGateway) => Promise<void>) => {
  checked.splice(0);
  const endpoints: Endpoint[] = [];
  for (const endpoint of (await referenceEndpoints()).all())
    endpoints.push(withSettings(endpoint, { sandboxing }));
  const keys = {
    caller: {},
    tenant: { fixed: { project: 'aurora' } },
    other: { fixed: { project: 'boreal' } },
  };
  await withAccess({ keys, endpoints, checkSql }, use);
};
const withSql = (sql: string, target = STATS): string => `${target}&sql=${encodeURIComponent(sql)}`;
const statusOf = async (gateway: AccessGateway, target: string, via: RequestPath, name = 'caller') =>
  (await gateway.send(name, target, { via })).headers['x-cache'];

describe('sql for an endpoint that does not accept it', () => {
  it.each(['SELECT 1', '', 'DROP TABLE x'])('is ignored, with the same result: %j', (sql) =>
    open('disabled', async (gateway) => {
      expect(await statusOf(gateway, STATS, 'slow path')).toBe('MISS');
      expect(await statusOf(gateway, withSql(sql), 'slow path')).toBe('HIT');
      expect(await statusOf(gateway, `${STATS}&sql=a&sql=b`, 'slow path')).toBe('HIT');
      expect(checked).toEqual([]);
    }),
  );
});

describe.each<RequestPath>(['slow path', 'fast path'])(
  'sql for an endpoint that accepts it, on the %s',
  (via) => {
    it('is checked, becomes the query’s body, and has a cache entry of its own', () =>
      open('enabled', async (gateway) => {
        expect(await statusOf(gateway, STATS, via)).toBe('MISS');
        expect(await statusOf(gateway, withSql('SELECT 1 FROM result'), via)).toBe('MISS');
        expect(gateway.runQuery.requests.at(-1)?.query.text).toContain('SELECT 1 FROM result');
        expect(gateway.runQuery.requests.at(-1)?.columns).toBe('unknown');
        // The same statement with other spaces shares the entry.
        expect(await statusOf(gateway, withSql('SELECT  1\nFROM result'), via)).toBe('HIT');
        expect(await statusOf(gateway, withSql('SELECT 2 FROM result'), via)).toBe('MISS');
        expect(await statusOf(gateway, STATS, via)).toBe('HIT');
        expect(await statusOf(gateway, withSql('SELECT 1 FROM result'), via)).toBe('HIT');
        expect(gateway.runQuery.requests).toHaveLength(3);
      }));

    it('shares nothing between scopes', () =>
      open('enabled', async (gateway) => {
        const target = '/api/endpoints/query/functions.invocation-stats?interval=1hr';
        const sql = withSql('SELECT 1 FROM result', target);
        for (let times = 0; times < 2; times += 1) await gateway.send('tenant', sql, { via });
        expect(await statusOf(gateway, sql, via, 'other')).toBe('MISS');
        expect(await statusOf(gateway, sql, via, 'tenant')).toBe('HIT');
        expect(outcomeOf(await gateway.send('other', withSql('SELECT 1', STATS), { via }))).toBe(
          '403 FORBIDDEN',
        );
        expect(gateway.runQuery.requests).toHaveLength(2);
      }));

    it.each([
      ['not a SELECT', '&sql=DROP', INVALID],
      ['empty', '&sql=', INVALID],
      ['without a value', '&sql', INVALID],
      ['sent twice', '&sql=SELECT%201&sql=SELECT%201', INVALID],
      ['not decodable', '&sql=SELECT%20%FF', INVALID],
      ['not checked because ClickHouse is unreachable', '&sql=unreachable', '503 CLICKHOUSE_UNREACHABLE'],
    ])('that is %s is rejected, and no query runs', (_what, more, expected) =>
      open('enabled', async (gateway) => {
        const response = await gateway.send('caller', STATS + more, { via });
        expect(outcomeOf(response)).toBe(expected);
        if (expected === INVALID) expect(response.text).toContain('"param":"sql"');
        expect(gateway.runQuery.requests).toEqual([]);
      }),
    );

    it('that is rejected without ClickHouse is reported together with all other problems', () =>
      open('enabled', async (gateway) => {
        const target = `${STATS.replace('project', 'x')}&sql=%20&format=xml`;
        const response = await gateway.send('caller', target, { via });
        const { problems } = JSON.parse(response.text) as { problems: { param: string }[] };
        expect(problems.map(({ param }) => param)).toEqual(['project', 'format', 'sql']);
        expect(checked).toEqual([]);
      }));

    it('is not checked if the request is rejected anyway', () =>
      open('enabled', async (gateway) => {
        await gateway.send('tenant', withSql('SELECT 1', `${STATS}&project=boreal`), { via });
        await gateway.send('caller', withSql('SELECT 1', STATS.replace('project', 'x')), { via });
        await gateway.send('nobody', withSql('SELECT 1'), { via });
        expect(checked).toEqual([]);
      }));
  },
);
