import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../../../src/gateway/auth/api-key.js';
import { checkKeysAgainst } from '../../../../src/gateway/auth/check-keys.js';
import { readKeyFile } from '../../../../src/gateway/auth/key-file.js';
import { addKey, finishRotation, revokeKey, rotateKey } from '../../../../src/commands/cli/manage-keys.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

const NOW = new Date('2026-05-17T10:05:03.000Z');
const HASH = hashApiKey('one');
const OTHER_HASH = hashApiKey('two');

const add = (file: string, name: string): Promise<string> => addKey(file, { name }, { now: NOW });

describe('addKey', () => {
  it.each(['keys.json', 'keys.yaml'])('creates %s with the hash of the key and not the key', async (name) => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, name);
      const key = await add(file, 'dashboard');
      expect((await readKeyFile(file)).keys).toEqual([
        { name: 'dashboard', sha256: [hashApiKey(key)], created: NOW.toISOString() },
      ]);
      expect(await readFile(file, 'utf8')).not.toContain(key);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
  });

  it('adds to JSON and preserves the existing keys', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      const before = { name: 'old', sha256: [HASH], created: '2020-01-01' };
      await writeFile(file, JSON.stringify({ keys: [before] }));
      const key = await add(file, 'new');
      const [old, added] = (await readKeyFile(file)).keys;
      expect(old).toMatchObject({ name: 'old', sha256: [HASH] });
      expect(added).toMatchObject({ name: 'new', sha256: [hashApiKey(key)] });
    });
  });

  it('adds to YAML and preserves comments and order', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.yaml');
      const before = `# Who may call.\nkeys:\n  # The old one.\n  - name: old # since ever\n    sha256:\n      - ${HASH}\n`;
      await writeFile(file, before);
      await add(file, 'new');
      const text = await readFile(file, 'utf8');
      expect(text.startsWith(before)).toBe(true);
      expect((await readKeyFile(file)).keys.map(({ name }) => name)).toEqual(['old', 'new']);
    });
  });

  it('leaves no temporary file or lock behind', async () => {
    await withTemporaryFolder(async (folder) => {
      await add(path.join(folder, 'keys.json'), 'new');
      expect(await readdir(folder)).toEqual(['keys.json']);
    });
  });

  it('rejects a name that exists', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await add(file, 'dashboard');
      await expect(add(file, 'dashboard')).rejects.toThrow('already has a key named dashboard');
    });
  });

  it.each(['', 'two words', 'a/b', 'x'.repeat(65)])(
    'rejects the name %j and leaves the file unchanged',
    async (name) => {
      await withTemporaryFolder(async (folder) => {
        const file = path.join(folder, 'keys.yaml');
        await add(file, 'good');
        const before = await readFile(file, 'utf8');
        await expect(add(file, name)).rejects.toThrow('keys[1].name');
        expect(await readFile(file, 'utf8')).toBe(before);
        expect(await readdir(folder)).toEqual(['keys.yaml']);
      });
    },
  );

  it.each(['{"keys":', '{"keys":[{"name":"a"}]}', ''])(
    'leaves the malformed file %j unchanged',
    async (broken) => {
      await withTemporaryFolder(async (folder) => {
        const file = path.join(folder, 'keys.json');
        await writeFile(file, broken);
        await expect(add(file, 'new')).rejects.toThrow(`the keys file ${file}`);
        expect(await readFile(file, 'utf8')).toBe(broken);
      });
    },
  );

  it('fails when the folder does not exist', async () => {
    await withTemporaryFolder(async (folder) => {
      await expect(add(path.join(folder, 'none', 'keys.json'), 'new')).rejects.toThrow(
        'the folder does not exist',
      );
    });
  });
});

describe('addKey with rights', () => {
  it('stores the rights in the fields of the keys file', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.yaml');
      const rights = {
        endpoints: ['logs.*'],
        fixed: { project: 'abc' },
        expires: '2027-01-01',
        addresses: ['10.0.0.0/8'],
        limits: { requests: { quota: 600, window: 60 }, concurrent: 4 },
        mayUseQueryString: true,
      };
      await addKey(file, { name: 'tenant', ...rights }, { now: NOW });
      expect((await readKeyFile(file)).keys).toMatchObject([{ name: 'tenant', ...rights }]);
    });
  });

  it('creates no file when the check or the schema rejects the key', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      const endpoints = [{ id: '0', name: 'logs.all', parameters: new Set(['project']) }];
      const check = (added: Parameters<typeof checkKeysAgainst>[0]): void => {
        checkKeysAgainst(added, endpoints);
      };
      const wrong = { name: 'a', endpoints: ['log.*'] };
      await expect(addKey(file, wrong, { now: NOW, check })).rejects.toThrow('no endpoint matches "log.*"');
      await expect(addKey(file, { name: 'a', expires: 'soon' }, { now: NOW })).rejects.toThrow('ISO 8601');
      expect(await readdir(folder)).toEqual([]);
    });
  });
});

const YAML = `# Who may call.
keys:
  # The old one.
  - name: old # since ever
    sha256:
      - ${HASH} # of May
    fixed: { project: abc } # theirs
  # Another.
  - name: other
    sha256: [${OTHER_HASH}]
# The end.
`;

describe.each(['keys.json', 'keys.yaml'])('rotating and revoking in %s', (name) => {
  const withKeys = (use: (file: string) => Promise<void>): Promise<void> =>
    withTemporaryFolder(async (folder) => {
      const file = path.join(folder, name);
      const keys = [
        { name: 'old', sha256: [HASH], fixed: { project: 'abc' } },
        { name: 'other', sha256: [OTHER_HASH] },
      ];
      await writeFile(file, name.endsWith('yaml') ? YAML : JSON.stringify({ keys }));
      await use(file);
      expect(await readdir(folder)).toEqual([name]);
    });
  const hashesIn = async (file: string): Promise<readonly (readonly string[])[]> =>
    (await readKeyFile(file)).keys.map(({ sha256 }) => sha256);

  it('adds a new key and retains only the previous newest', async () => {
    await withKeys(async (file) => {
      const second = hashApiKey(await rotateKey(file, 'old'));
      expect(await hashesIn(file)).toEqual([[HASH, second], [OTHER_HASH]]);
      const third = hashApiKey(await rotateKey(file, 'old'));
      expect(await hashesIn(file)).toEqual([[second, third], [OTHER_HASH]]);
      await finishRotation(file, 'old');
      expect(await hashesIn(file)).toEqual([[third], [OTHER_HASH]]);
      await expect(finishRotation(file, 'old')).rejects.toThrow('has only one key');
      expect((await readKeyFile(file)).keys[0]).toMatchObject({ fixed: { project: 'abc' } });
    });
  });

  it('removes a name with its keys', async () => {
    await withKeys(async (file) => {
      await revokeKey(file, 'old');
      expect((await readKeyFile(file)).keys).toEqual([{ name: 'other', sha256: [OTHER_HASH] }]);
      await revokeKey(file, 'other');
      expect((await readKeyFile(file)).keys).toEqual([]);
      await add(file, 'again');
      expect((await readKeyFile(file)).keys).toHaveLength(1);
    });
  });

  it.each([
    ['rotate', rotateKey],
    ['finish', finishRotation],
    ['revoke', revokeKey],
  ])('fails to %s a name that does not exist', async (_what, run) => {
    await withKeys(async (file) => {
      await expect(run(file, 'nobody')).rejects.toThrow('has no key named "nobody"');
    });
  });

  it('loses no key of commands that run at the same time', async () => {
    await withKeys(async (file) => {
      const names = Array.from({ length: 4 }, (_, index) => `key-${index}`);
      await Promise.all([
        ...names.map((each) => add(file, each)),
        rotateKey(file, 'old'),
        revokeKey(file, 'other'),
      ]);
      const { keys } = await readKeyFile(file);
      expect(keys.map((key) => key.name).sort()).toEqual([...names, 'old'].sort());
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
  });
});

describe('an edit of a keys file', () => {
  it('preserves the comments and the order of YAML', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.yaml');
      await writeFile(file, YAML);
      await rotateKey(file, 'old');
      await add(file, 'new');
      await rotateKey(file, 'other');
      await rotateKey(file, 'other');
      await revokeKey(file, 'new');
      const text = await readFile(file, 'utf8');
      for (const comment of YAML.match(/#.*/g) ?? []) expect(text).toContain(comment);
      expect(text.indexOf('name: old')).toBeLessThan(text.indexOf('name: other'));
    });
  });

  it('preserves a symbolic link and replaces its target', async () => {
    await withTemporaryFolder(async (folder) => {
      const link = path.join(folder, 'keys.json');
      await writeFile(path.join(folder, 'real.json'), '{"keys":[]}');
      await symlink('real.json', link);
      await add(link, 'new');
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect((await readKeyFile(path.join(folder, 'real.json'))).keys).toHaveLength(1);
    });
  });
});
