import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { ServedEndpoints } from '../../../../src/endpoint/served-endpoints.js';
import type { QueryClient } from '../../../../src/gateway/clickhouse/connect-clickhouse.js';
import { SettingOverrides } from '../../../../src/gateway/clickhouse/setting-overrides.js';
import { keyOf } from '../../../../src/gateway/query/cache-key.js';
import type { OpenCache } from '../../../../src/gateway/server/open-cache.js';
import { openOverrides } from '../../../../src/gateway/server/open-overrides.js';
import { RecordingLogger } from '../../../support/recording-logger.js';
import { SAMPLE, sampleEndpoint } from '../../../support/sample-endpoint.js';

/** A server whose user has other settings from a moment on, and perhaps a constraint on them. */
class TestServer {
  changed: readonly string[] = [];
  forbidden = false;
  readonly overrides = new SettingOverrides(({ search }) => {
    const left = this.changed.filter((name) => !search.includes(`&${name}=`)).map((name) => [name, '0']);
    const isForbidden = this.forbidden && left.length < this.changed.length;
    const text = isForbidden
      ? 'Code: 452. DB::Exception: Setting should not be changed. (SETTING_CONSTRAINT_VIOLATION)'
      : JSON.stringify([1721, left]);
    return Promise.resolve({ status: isForbidden ? 500 : 200, headers: {}, body: Buffer.from(text) });
  });
  readonly open = {
    ...{ name: 'clickhouse.test:8123', url: 'http://clickhouse.test:8123' },
    client: { overrides: this.overrides } as unknown as QueryClient,
  };
}

async function openTwo(): Promise<{
  readonly servers: readonly [TestServer, TestServer];
  readonly endpoints: ServedEndpoints;
  readonly logger: RecordingLogger;
  readonly opened: Awaited<ReturnType<typeof openOverrides>>;
}> {
  const servers = [new TestServer(), new TestServer()] as const;
  const endpoints = new ServedEndpoints(new EndpointRegistry([sampleEndpoint()]));
  const logger = new RecordingLogger();
  const opened = await openOverrides(
    servers.map(({ open }) => open),
    endpoints,
    logger,
  );
  return { servers, endpoints, logger, opened };
}

function sample(endpoints: ServedEndpoints): { readonly digest: string; readonly hash: string } {
  const [endpoint] = endpoints.all();
  if (!endpoint) throw new Error('there is no endpoint');
  return { digest: endpoint.digest, hash: keyOf({ endpoint, values: new Map(), scope: '' }).hash };
}

it('gives results other keys, and purges the cache, where a profile changes; the definitions stay', async () => {
  const { servers, endpoints, logger, opened } = await openTwo();
  const done: string[] = [];
  const purge = (): Promise<boolean> => Promise.resolve(done.push('purge') > 0);
  opened.follow({ adoptEndpoints: () => done.push('adopt'), cache: { purge } as unknown as OpenCache });
  const [before] = endpoints.all();
  const plain = sample(endpoints);
  servers[1].changed = ['final'];
  await servers[1].overrides.read();
  expect(done).toEqual(['adopt', 'purge']);
  expect(sample(endpoints).digest).toBe(plain.digest);
  expect(sample(endpoints).hash).not.toBe(plain.hash);
  // Targets of the fast path are of an endpoint that is no longer served.
  expect(before && endpoints.has(before)).toBe(false);
  expect(logger.lines).toMatchObject([{ level: 'warn', fields: { settings: ['final'] } }]);
  // A reload keeps the keys.
  const changed = sample(endpoints);
  endpoints.replace(new EndpointRegistry([sampleEndpoint()]));
  expect(sample(endpoints)).toEqual(changed);
  servers[1].changed = [];
  await servers[1].overrides.read();
  expect(sample(endpoints)).toEqual(plain);
  expect(endpoints.find(SAMPLE.name)?.resultsUnder).toBeUndefined();
});

it('has problems where no server can run queries, and names the setting', async () => {
  const { servers, opened } = await openTwo();
  for (const [index, server] of servers.entries()) {
    server.changed = ['final'];
    server.forbidden = true;
    await server.overrides.read();
    const problems = await opened.problems();
    expect(problems.map((problem) => problem.includes('override them: final.'))).toEqual(
      index === 0 ? [] : [true, true],
    );
  }
});
