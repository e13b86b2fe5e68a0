import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { addKey } from '../../../src/keys/add-key.js';
import { hashApiKey } from '../../../src/keys/api-key.js';
import { readKeyFile } from '../../../src/keys/key-file.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const NOW = new Date('2026-05-17T10:05:03.000Z');
const HASH = hashApiKey('one');

describe('addKey', () => {
  it.each(['keys.json', 'keys.yaml'])(
    'makes %s where there is none, with the hash and not the key',
    async (name) => {
      await withTemporaryFolder(async (folder) => {
        const file = path.join(folder, name);
        const key = await addKey(file, 'dashboard', NOW);
        expect((await readKeyFile(file)).keys).toEqual([
          { name: 'dashboard', sha256: [hashApiKey(key)], created: NOW.toISOString() },
        ]);
        expect(await readFile(file, 'utf8')).not.toContain(key);
        expect((await stat(file)).mode & 0o777).toBe(0o600);
      });
    },
  );

  it('adds to JSON and keeps what is there', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      const before = { name: 'old', sha256: [HASH], created: '2020-01-01' };
      await writeFile(file, JSON.stringify({ keys: [before] }));
      const key = await addKey(file, 'new', NOW);
      const [old, added] = (await readKeyFile(file)).keys;
      expect(old).toMatchObject({ name: 'old', sha256: [HASH] });
      expect(added).toMatchObject({ name: 'new', sha256: [hashApiKey(key)] });
    });
  });

  it('adds to YAML and keeps comments and order', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.yaml');
      const before = `# Who may ask.\nkeys:\n  # The old one.\n  - name: old # since ever\n    sha256:\n      - ${HASH}\n`;
      await writeFile(file, before);
      await addKey(file, 'new', NOW);
      const text = await readFile(file, 'utf8');
      expect(text.startsWith(before)).toBe(true);
      expect((await readKeyFile(file)).keys.map(({ name }) => name)).toEqual(['old', 'new']);
    });
  });

  it('leaves nothing but the file behind', async () => {
    await withTemporaryFolder(async (folder) => {
      await addKey(path.join(folder, 'keys.json'), 'new', NOW);
      expect(await readdir(folder)).toEqual(['keys.json']);
    });
  });

  it('refuses a name that is taken', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await addKey(file, 'dashboard', NOW);
      await expect(addKey(file, 'dashboard', NOW)).rejects.toThrow('has a key named dashboard already');
    });
  });

  it.each(['', 'two words', 'a/b', 'x'.repeat(65)])(
    'refuses the name %j and leaves the file as it was',
    async (name) => {
      await withTemporaryFolder(async (folder) => {
        const file = path.join(folder, 'keys.yaml');
        await addKey(file, 'good', NOW);
        const before = await readFile(file, 'utf8');
        await expect(addKey(file, name, NOW)).rejects.toThrow('keys[1].name');
        expect(await readFile(file, 'utf8')).toBe(before);
        expect(await readdir(folder)).toEqual(['keys.yaml']);
      });
    },
  );

  it.each(['{"keys":', '{"keys":[{"name":"a"}]}', ''])(
    'leaves the broken file %j as it was',
    async (broken) => {
      await withTemporaryFolder(async (folder) => {
        const file = path.join(folder, 'keys.json');
        await writeFile(file, broken);
        await expect(addKey(file, 'new', NOW)).rejects.toThrow(`the keys’ file ${file}`);
        expect(await readFile(file, 'utf8')).toBe(broken);
      });
    },
  );

  it('refuses a folder that is not there', async () => {
    await withTemporaryFolder(async (folder) => {
      await expect(addKey(path.join(folder, 'none', 'keys.json'), 'new', NOW)).rejects.toThrow('ENOENT');
    });
  });
});
