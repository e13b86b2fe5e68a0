import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../../src/auth/api-key.js';
import { openKeys } from '../../../src/auth/open-keys.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const SILENT = { onReloaded: () => undefined, onRefused: () => undefined };

describe('openKeys', () => {
  it('makes a key for this run where none is configured', async () => {
    const keys = await openKeys({ apiKey: undefined, apiKeysFile: undefined }, SILENT);
    expect(keys.find(keys.generatedKey ?? '')).toEqual({
      name: 'start-up',
      mayBypassCache: true,
      isAdmin: true,
    });
    expect(keys.find('')).toBeUndefined();
  });

  it('makes none where one is configured', async () => {
    const keys = await openKeys({ apiKey: 'secret', apiKeysFile: undefined }, SILENT);
    expect(keys.generatedKey).toBeUndefined();
    expect(keys.find('secret')).toEqual({ name: 'API_KEY', mayBypassCache: true, isAdmin: true });
  });

  it('accepts the keys of the file and the one key together', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, JSON.stringify({ keys: [{ name: 'dashboard', sha256: [hashApiKey('k')] }] }));
      const keys = await openKeys({ apiKey: 'secret', apiKeysFile: file }, SILENT);
      try {
        expect(keys.find('k')).toEqual({ name: 'dashboard', mayBypassCache: false });
        expect(keys.find('secret')).toEqual({ name: 'API_KEY', mayBypassCache: true, isAdmin: true });
        expect(keys.generatedKey).toBeUndefined();
      } finally {
        keys.close();
      }
    });
  });

  it('refuses to start with a file that is no good', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, '{');
      await expect(openKeys({ apiKey: undefined, apiKeysFile: file }, SILENT)).rejects.toThrow(file);
    });
  });

  it('finds principals by name, and lists them', async () => {
    const keys = await openKeys({ apiKey: 'secret', apiKeysFile: undefined }, SILENT);
    expect(keys.named('API_KEY')).toBe(keys.find('secret'));
    expect(keys.named('nobody')).toBeUndefined();
    expect(keys.principals()).toEqual([{ name: 'API_KEY', mayBypassCache: true, isAdmin: true }]);
  });

  it('gives a key that stands in both places the rights of the file', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, JSON.stringify({ keys: [{ name: 'tenant', sha256: [hashApiKey('k')] }] }));
      const keys = await openKeys({ apiKey: 'k', apiKeysFile: file }, SILENT);
      keys.close();
      expect(keys.find('k')?.name).toBe('tenant');
    });
  });

  it('refuses to start where a key means no endpoint, naming key and fault', async () => {
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
      const opening = openKeys({ apiKey: undefined, apiKeysFile: file }, SILENT, { endpoints });
      await expect(opening).rejects.toThrow(
        `the keys’ file ${file} is not as it should be: key tenant: no endpoint matches "nothing.*"; ` +
          'key tenant: none of its endpoints has a parameter who to fix. The endpoints are logs.all',
      );
    });
  });
});
