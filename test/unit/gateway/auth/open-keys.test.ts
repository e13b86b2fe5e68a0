import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../../../src/gateway/auth/api-key.js';
import { openKeys } from '../../../../src/gateway/auth/open-keys.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

const SILENT = { onReloaded: () => undefined, onRejected: () => undefined };

/** The principal of API_KEY, which has every right. */
const FROM_ENVIRONMENT = {
  name: 'API_KEY',
  mayBypassCache: true,
  mayUseQueryString: true,
  mayExport: true,
  mayLink: true,
  mayCallGatewayEndpoints: true,
};

describe('openKeys', () => {
  it('generates a key for this run when none is configured', async () => {
    const keys = await openKeys({ apiKey: undefined, apiKeysFile: undefined }, SILENT);
    expect(keys.find(keys.generatedKey ?? '')).toEqual({ ...FROM_ENVIRONMENT, name: 'start-up' });
    expect(keys.find('')).toBeUndefined();
  });

  it('generates no key when one is configured', async () => {
    const keys = await openKeys({ apiKey: 'secret', apiKeysFile: undefined }, SILENT);
    expect(keys.generatedKey).toBeUndefined();
    expect(keys.find('secret')).toEqual(FROM_ENVIRONMENT);
  });

  it('accepts the keys of the file and API_KEY together', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, JSON.stringify({ keys: [{ name: 'dashboard', sha256: [hashApiKey('k')] }] }));
      const keys = await openKeys({ apiKey: 'secret', apiKeysFile: file }, SILENT);
      try {
        expect(keys.find('k')).toEqual({ name: 'dashboard', mayBypassCache: false });
        expect(keys.find('secret')).toEqual(FROM_ENVIRONMENT);
        expect(keys.generatedKey).toBeUndefined();
      } finally {
        keys.close();
      }
    });
  });

  it('rejects an invalid file at the start', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, '{');
      await expect(openKeys({ apiKey: undefined, apiKeysFile: file }, SILENT)).rejects.toThrow(file);
    });
  });

  it('finds principals by name, and lists them', async () => {
    const keys = await openKeys({ apiKey: 'secret', apiKeysFile: undefined }, SILENT);
    expect(keys.findByName('API_KEY')).toBe(keys.find('secret'));
    expect(keys.findByName('nobody')).toBeUndefined();
    expect(keys.principals()).toEqual([FROM_ENVIRONMENT]);
  });

  it('gives a key in both sources the rights of the file', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, JSON.stringify({ keys: [{ name: 'tenant', sha256: [hashApiKey('k')] }] }));
      const keys = await openKeys({ apiKey: 'k', apiKeysFile: file }, SILENT);
      keys.close();
      expect(keys.find('k')?.name).toBe('tenant');
    });
  });

  it('rejects a key that matches no endpoint and names the key and the problem', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      const key = {
        name: 'tenant',
        sha256: [hashApiKey('k')],
        endpoints: ['logs.all', 'nothing.*'],
        fixed: { who: 'x' },
      };
      await writeFile(file, JSON.stringify({ keys: [key] }));
      const endpoints = [{ id: '1', name: 'logs.all', parameters: new Set(['project']) }];
      const opening = openKeys({ apiKey: undefined, apiKeysFile: file }, SILENT, {
        endpoints: () => endpoints,
      });
      await expect(opening).rejects.toThrow(
        `the keys file ${file} is invalid: key tenant: no endpoint matches "nothing.*"; ` +
          'key tenant: none of its endpoints has the parameter who. The endpoints are logs.all',
      );
    });
  });
});
