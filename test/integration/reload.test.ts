import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import type { Gateway } from '../../src/gateway/server/compose.js';
import { call, fileOf, ReloadedProject, type Called } from '../support/reloaded-project.js';
import { GATEWAY, startProcess } from '../support/start-process.js';
import { newPrefix, sharedRedisUrl } from '../support/test-redis.js';
import { urlOf } from '../support/with-gateway.js';

const admin = (gateway: Gateway, path: string, method = 'GET'): Promise<Response> =>
  fetch(`${gateway.adminUrl ?? ''}${path}`, { method });

describe('POST /endpoints/reload of the admin API', () => {
  it('serves changed files, no entry of the changed definition, and entries of the others', async () => {
    await ReloadedProject.during(async (project) => {
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
    await ReloadedProject.during(async (project) => {
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

  it('is refused where a key of the keys file names an endpoint that was removed', async () => {
    await ReloadedProject.during(async (project) => {
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

describe('gateways with two versions of an endpoint', () => {
  it('do not exchange entries through Redis', async () => {
    await ReloadedProject.during(async (project) => {
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
    await ReloadedProject.during(async (project) => {
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
    await ReloadedProject.during(async (project) => {
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
