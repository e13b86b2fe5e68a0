import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { KEY, ReloadedProject } from '../support/reloaded-project.js';

describe('a reload beside other files of a deployment', () => {
  it('reads the keys file too: an endpoint and its key appear and go together', async () => {
    await ReloadedProject.during(async (project) => {
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
    await ReloadedProject.during(async (project) => {
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

  it('rejects undeclared parameters where the project says so, unless the endpoint says otherwise', async () => {
    await ReloadedProject.during(async (project) => {
      const lenient = (await readFile(project.fileOf('two'), 'utf8')).replace(
        'example:',
        'unknownParameters: ignore\nexample:',
      );
      await writeFile(project.fileOf('two'), lenient);
      const settings = path.join(project.folder, 'settings.json');
      await writeFile(settings, '{}');
      const gateway = await project.open({ ENDPOINT_SETTINGS_FILE: settings });
      const statusOf = async (name: string): Promise<number> =>
        (
          await fetch(`${gateway.url}/api/endpoints/query/${name}?city=Rome&citty=Oslo`, {
            headers: { 'X-API-KEY': KEY },
          })
        ).status;
      expect([await statusOf('one'), await statusOf('two')]).toEqual([200, 200]);
      await writeFile(settings, '{"unknownParameters":"reject"}');
      expect(await gateway.reload()).toMatchObject({ ok: true, changed: ['one'] });
      expect([await statusOf('one'), await statusOf('two')]).toEqual([400, 200]);
    });
  });

  it('answers 304 after a change only where the bytes are equal', async () => {
    await ReloadedProject.during(async (project) => {
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
    await ReloadedProject.during(async (project) => {
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

  it('survives a stop meanwhile', async () => {
    await ReloadedProject.during(async (project) => {
      const gateway = await project.open();
      await Promise.all([gateway.reload(), gateway.close(0), gateway.reload()]);
    });
  });
});
