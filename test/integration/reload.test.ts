import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../src/auth/api-key.js';
import { readConfig } from '../../src/config/config.js';
import { openGateway, type Gateway } from '../../src/server/compose.js';
import { adminConnection } from '../support/clickhouse.js';
import { variablesOf } from '../support/demo-database.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { GATEWAY, startProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { newPrefix, sharedRedisUrl } from '../support/test-redis.js';
import { urlOf } from '../support/with-gateway.js';

const KEY = 'a key for reloads';

/** An endpoint whose row names the version of its definition. */
const fileOf = (name: string, id: number, version: string): string => `/*
name: ${name}
id: 61f0c404-5cb3-11e7-907b-a6006ad3db${String(id).padStart(2, '0')}
summary: For a test of reloads.
parameters: { city: { kind: string, description: A city. } }
columns: { city: Nullable(String), version: String }
example: { city: Rome }
*/
SELECT @city AS city, '${version}' AS version
`;

interface Called {
  readonly status: number;
  readonly cache: string | null;
  readonly version: unknown;
}

async function call(url: string, name: string): Promise<Called> {
  const response = await fetch(`${url}/api/endpoints/query/${name}?city=Rome`, {
    headers: { 'X-API-KEY': KEY },
  });
  const { result } = (await response.json()) as { readonly result?: readonly { readonly version: string }[] };
  return { status: response.status, cache: response.headers.get('x-cache'), version: result?.[0]?.version };
}

/** A project in a temporary folder, and gateways that serve it. */
class Project {
  readonly gateways: Gateway[] = [];
  readonly logger = new RecordingLogger();

  constructor(readonly folder: string) {}

  static async during(use: (project: Project) => Promise<void>): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const project = new Project(folder);
      await mkdir(path.join(folder, 'endpoints'));
      await project.write('one', 1, 'first');
      await project.write('two', 2, 'first');
      try {
        await use(project);
      } finally {
        for (const gateway of project.gateways) await gateway.close(0);
      }
    });
  }

  write(name: string, id: number, version: string): Promise<void> {
    return writeFile(this.fileOf(name), fileOf(name, id, version));
  }

  fileOf(name: string): string {
    return path.join(this.folder, 'endpoints', `${name}.sql`);
  }

  variables(): Readonly<Record<string, string>> {
    return { PROJECT_DIR: this.folder, ...variablesOf(adminConnection('default')), API_KEY: KEY };
  }

  async open(variables: Readonly<Record<string, string>> = {}): Promise<Gateway> {
    const config = readConfig({ ...this.variables(), PORT: '0', ADMIN_PORT: '0', ...variables });
    const gateway = await openGateway(config, { logger: this.logger, clock: () => new Date() });
    this.gateways.push(gateway);
    return gateway;
  }
}

const admin = (gateway: Gateway, path: string, method = 'GET'): Promise<Response> =>
  fetch(`${gateway.adminUrl ?? ''}${path}`, { method });

describe('POST /endpoints/reload of the admin API', () => {
  it('serves changed files, no entry of the changed definition, and entries of the others', async () => {
    await Project.during(async (project) => {
      const gateway = await project.open();
      const both = (): Promise<readonly Called[]> =>
        Promise.all(['one', 'two'].map((name) => call(gateway.url, name)));
      await both();
      expect((await both()).map(({ cache }) => cache)).toEqual(['HIT', 'HIT']);
      await project.write('one', 1, 'second');
      await project.write('three', 3, 'new');
      const response = await admin(gateway, '/endpoints/reload', 'POST');
      const body = (await response.json()) as { readonly endpoints: readonly { readonly name: string }[] };
      expect([response.status, body]).toMatchObject([
        200,
        { lastReload: { ok: true, added: ['three'], changed: ['one'], removed: [] } },
      ]);
      expect(body.endpoints.map(({ name }) => name)).toEqual(['one', 'three', 'two']);
      expect(await both()).toEqual([
        { status: 200, cache: 'MISS', version: 'second' },
        { status: 200, cache: 'HIT', version: 'first' },
      ]);
      await rm(project.fileOf('three'));
      await admin(gateway, '/endpoints/reload', 'POST');
      expect((await call(gateway.url, 'three')).status).toBe(404);
    });
  });

  it('changes nothing where one file is invalid: 422 with the place, and a metric', async () => {
    await Project.during(async (project) => {
      const gateway = await project.open();
      const metric = async (): Promise<readonly string[]> =>
        (await (await admin(gateway, '/metrics')).text()).match(/^querygate_last_reload\S* \S+/gm) ?? [];
      const [successful, at] = await metric();
      expect(successful).toBe('querygate_last_reload_successful 1');
      await project.write('one', 1, 'second');
      await writeFile(
        project.fileOf('two'),
        fileOf('two', 2, 'second').replace(/AS city.*/, 'AS city FORMAT CSV'),
      );
      const response = await admin(gateway, '/endpoints/reload', 'POST');
      expect([response.status, await response.json()]).toMatchObject([
        422,
        {
          code: 'ENDPOINTS_INVALID',
          problems: [
            {
              file: 'endpoints/two.sql',
              line: 9,
              column: 22,
              problem: expect.stringContaining('FORMAT is not allowed') as string,
              excerpt: expect.stringMatching(/FORMAT CSV\n {25}\^{6}$/) as string,
            },
          ],
        },
      ]);
      expect(await metric()).toEqual(['querygate_last_reload_successful 0', at]);
      expect((await call(gateway.url, 'one')).version).toBe('first');
      expect(await (await admin(gateway, '/endpoints')).json()).toMatchObject({ lastReload: { ok: false } });
    });
  });

  it('is refused where a key of the keys file names an endpoint that is gone', async () => {
    await Project.during(async (project) => {
      const keys = path.join(project.folder, 'keys.json');
      const key = { name: 'tenant', sha256: [hashApiKey('of the tenant')], endpoints: ['two'] };
      await writeFile(keys, JSON.stringify({ keys: [key] }));
      const gateway = await project.open({ API_KEYS_FILE: keys });
      await rm(project.fileOf('two'));
      const response = await admin(gateway, '/endpoints/reload', 'POST');
      expect([response.status, await response.text()]).toEqual([
        422,
        expect.stringContaining('key tenant: no endpoint matches \\"two\\"'),
      ]);
      expect((await call(gateway.url, 'two')).status).toBe(200);
    });
  });
});

describe('a reload beside other files of a deployment', () => {
  it('reads the keys file too: an endpoint and its key appear and go together', async () => {
    await Project.during(async (project) => {
      const keys = path.join(project.folder, 'keys.json');
      const grant = (...endpoints: readonly string[]): Promise<void> =>
        writeFile(
          keys,
          JSON.stringify({ keys: [{ name: 'tenant', sha256: [hashApiKey('of the tenant')], endpoints }] }),
        );
      const asTenant = async (url: string, name: string): Promise<number> =>
        (
          await fetch(`${url}/api/endpoints/query/${name}?city=Rome`, {
            headers: { 'X-API-KEY': 'of the tenant' },
          })
        ).status;
      await grant('two');
      const gateway = await project.open({ API_KEYS_FILE: keys });
      await project.write('three', 3, 'new');
      await rm(project.fileOf('two'));
      await grant('three');
      expect((await gateway.reload()).problems).toEqual([]);
      expect([await asTenant(gateway.url, 'three'), await asTenant(gateway.url, 'one')]).toEqual([200, 403]);
    });
  });

  it('applies the rights of a pattern to a new name of an endpoint at once', async () => {
    await Project.during(async (project) => {
      const keys = path.join(project.folder, 'keys.json');
      const key = { name: 'tenant', sha256: [hashApiKey('of the tenant')], endpoints: ['one*'] };
      await writeFile(keys, JSON.stringify({ keys: [key] }));
      const gateway = await project.open({ API_KEYS_FILE: keys });
      const byId = async (id: number): Promise<number> => {
        const target = `/api/endpoints/query/61f0c404-5cb3-11e7-907b-a6006ad3db0${id}?city=Rome`;
        return (await fetch(gateway.url + target, { headers: { 'X-API-KEY': 'of the tenant' } })).status;
      };
      expect([await byId(1), await byId(2)]).toEqual([200, 403]);
      await project.write('one', 2, 'first');
      await project.write('two', 1, 'first');
      expect(await gateway.reload()).toMatchObject({ ok: true, changed: ['one', 'two'] });
      expect([await byId(1), await byId(2)]).toEqual([403, 200]);
    });
  });

  it('changes nothing where the settings became invalid', async () => {
    await Project.during(async (project) => {
      const settings = path.join(project.folder, 'settings.json');
      await writeFile(settings, '{"one":{"caching":5}}');
      const gateway = await project.open({ ENDPOINT_SETTINGS_FILE: settings });
      await project.write('two', 2, 'second');
      await writeFile(settings, '{"one":{"caching":-5}}');
      const { ok, problems } = await gateway.reload();
      expect([ok, problems]).toEqual([
        false,
        [{ problem: expect.stringContaining('ENDPOINT_SETTINGS_FILE') as string }],
      ]);
      expect((await call(gateway.url, 'two')).version).toBe('first');
    });
  });

  it('answers 304 after a change only where the bytes are equal', async () => {
    await Project.during(async (project) => {
      const gateway = await project.open();
      const get = (etag = ''): Promise<Response> =>
        fetch(`${gateway.url}/api/endpoints/query/one?city=Rome`, {
          headers: { 'X-API-KEY': KEY, 'If-None-Match': etag },
        });
      const etag = (await get()).headers.get('etag') ?? '';
      expect((await get(etag)).status).toBe(304);
      await project.write('one', 1, 'other');
      await gateway.reload();
      expect((await get(etag)).status).toBe(200);
      await project.write('one', 1, 'first');
      await gateway.reload();
      expect((await get(etag)).status).toBe(304);
    });
  });

  it('shows a changed list and OpenAPI document', async () => {
    await Project.during(async (project) => {
      const gateway = await project.open();
      const texts = (): Promise<readonly string[]> =>
        Promise.all(
          ['/api/endpoints', '/openapi.json'].map(async (target) =>
            (await fetch(gateway.url + target, { headers: { 'X-API-KEY': KEY } })).text(),
          ),
        );
      for (const text of await texts()) expect(text).toContain('two');
      await rm(project.fileOf('two'));
      await project.write('three', 3, 'new');
      await gateway.reload();
      for (const text of await texts()) {
        expect(text).toContain('three');
        expect(text).not.toMatch(/\btwo\b/);
      }
    });
  });

  it('serves 200 requests for a reload with two, and survives a stop meanwhile', async () => {
    await Project.during(async (project) => {
      const gateway = await project.open();
      await project.write('one', 1, 'second');
      const outcomes = await Promise.all(Array.from({ length: 200 }, () => gateway.reload()));
      expect(new Set(outcomes).size).toBe(2);
      expect((await call(gateway.url, 'one')).version).toBe('second');
      await Promise.all([gateway.reload(), gateway.close(0), gateway.reload()]);
    });
  });
});

describe('gateways with two versions of an endpoint', () => {
  it('do not exchange entries through Redis', async () => {
    await Project.during(async (project) => {
      const shared = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
      const [older, newer] = [await project.open(shared), await project.open(shared)];
      expect((await call(older.url, 'one')).cache).toBe('MISS');
      expect((await call(newer.url, 'one')).cache).toBe('HIT');
      await project.write('one', 1, 'second');
      await newer.reload();
      const expected = { older: 'first', newer: 'second' };
      for (const cache of ['MISS', 'HIT']) {
        expect(await call(newer.url, 'one')).toEqual({ status: 200, cache, version: expected.newer });
        expect(await call(older.url, 'one')).toEqual({ status: 200, cache: 'HIT', version: expected.older });
      }
    });
  });
});

describe('reloads under load', () => {
  it('lose no request, and each response is of one version', async () => {
    await Project.during(async (project) => {
      const gateway = await project.open();
      let running = true;
      const seen: Called[] = [];
      const callers = Array.from({ length: 8 }, async () => {
        while (running) seen.push(await call(gateway.url, 'one'));
      });
      for (let version = 1; version <= 30; version += 1) {
        await project.write('one', 1, `v${version}`);
        await gateway.reload();
        expect((await call(gateway.url, 'one')).version).toBe(`v${version}`);
      }
      running = false;
      await Promise.all(callers);
      expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
      expect(seen.every(({ version }) => /^(first|v\d+)$/.test(String(version)))).toBe(true);
    });
  });
});

describe('SIGHUP', () => {
  it('reloads the endpoints, and keeps the earlier ones where a file is invalid', async () => {
    await Project.during(async (project) => {
      const gateway = startProcess(GATEWAY, { PORT: '0', ...project.variables() });
      try {
        const url = await urlOf(gateway);
        await project.write('one', 1, 'second');
        gateway.child.kill('SIGHUP');
        await gateway.untilWritten(/"message":"endpoints reloaded"/);
        expect((await call(url, 'one')).version).toBe('second');
        await writeFile(project.fileOf('one'), 'SELECT 1');
        gateway.child.kill('SIGHUP');
        await gateway.untilWritten(/endpoint files are invalid.*endpoints\/one\.sql:1:1/);
        expect((await call(url, 'one')).version).toBe('second');
      } finally {
        gateway.child.kill('SIGKILL');
        await gateway.ended;
      }
    });
  });
});
