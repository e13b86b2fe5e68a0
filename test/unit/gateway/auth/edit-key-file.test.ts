import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../../../src/gateway/auth/api-key.js';
import { editKeyFile, type KeyFileEdit } from '../../../../src/gateway/auth/edit-key-file.js';
import { readKeyFile } from '../../../../src/gateway/auth/key-file.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

const FIRST = hashApiKey('first');
const SECOND = hashApiKey('second');
const THIRD = hashApiKey('third');
const OTHER = hashApiKey('other');
const ADDED = hashApiKey('added');

const edit = (file: string, change: KeyFileEdit): Promise<void> => editKeyFile(file, () => change);
const add = (file: string, name: string): Promise<void> =>
  edit(file, { kind: 'add', key: { name, sha256: [ADDED], fixed: { project: 'abc' } } });
const addHash = (file: string, hash: string): Promise<void> =>
  edit(file, { kind: 'addHash', name: 'old', hash });
const hashesIn = async (file: string): Promise<readonly (readonly string[])[]> =>
  (await readKeyFile(file)).keys.map(({ sha256 }) => sha256);

const YAML = `# Who may call.
keys:
  # The old one.
  - name: old # since ever
    sha256:
      - ${FIRST} # of May
    fixed: { project: abc } # theirs
  # Another.
  - name: other
    sha256: [${OTHER}]
# The end.
`;

describe.each(['keys.json', 'keys.yaml'])('an edit of %s', (name) => {
  const withKeys = (use: (file: string) => Promise<void>): Promise<void> =>
    withTemporaryFolder(async (folder) => {
      const file = path.join(folder, name);
      const keys = [
        { name: 'old', sha256: [FIRST], fixed: { project: 'abc' } },
        { name: 'other', sha256: [OTHER] },
      ];
      await writeFile(file, name.endsWith('yaml') ? YAML : JSON.stringify({ keys }));
      await use(file);
      // No temporary file, no lock.
      expect(await readdir(folder)).toEqual([name]);
    });

  it('creates a file that only its owner reads', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, name);
      await add(file, 'new');
      expect(await hashesIn(file)).toEqual([[ADDED]]);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await expect(add(path.join(folder, 'none', name), 'new')).rejects.toThrow('the folder does not exist');
    });
  });

  it('adds a hash and retains only the previous newest, and removes names', async () => {
    await withKeys(async (file) => {
      await addHash(file, SECOND);
      expect(await hashesIn(file)).toEqual([[FIRST, SECOND], [OTHER]]);
      await addHash(file, THIRD);
      expect(await hashesIn(file)).toEqual([[SECOND, THIRD], [OTHER]]);
      await edit(file, { kind: 'dropOlderHash', name: 'old' });
      expect((await readKeyFile(file)).keys).toEqual([
        { name: 'old', sha256: [THIRD], fixed: { project: 'abc' } },
        { name: 'other', sha256: [OTHER] },
      ]);
      for (const removed of ['old', 'other']) await edit(file, { kind: 'remove', name: removed });
      expect(await hashesIn(file)).toEqual([]);
      await add(file, 'again');
      expect(await hashesIn(file)).toEqual([[ADDED]]);
    });
  });

  it.each(['', 'two words', 'a/b', 'x'.repeat(65)])('changes nothing for the name %j', async (wrong) => {
    await withKeys(async (file) => {
      const before = await readFile(file, 'utf8');
      await expect(add(file, wrong)).rejects.toThrow('keys[2].name');
      expect(await readFile(file, 'utf8')).toBe(before);
    });
  });

  it.each(['{"keys":', '{"keys":[{"name":"a"}]}', ''])('leaves the malformed text %j', async (broken) => {
    await withKeys(async (file) => {
      await writeFile(file, broken);
      await expect(add(file, 'new')).rejects.toThrow(`the keys file ${file}`);
      expect(await readFile(file, 'utf8')).toBe(broken);
    });
  });
});

describe('an edit of a keys file', () => {
  it('preserves the comments and the order of YAML', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.yaml');
      await writeFile(file, YAML);
      await add(file, 'new');
      await addHash(file, SECOND);
      await edit(file, { kind: 'remove', name: 'new' });
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
      expect(await hashesIn(path.join(folder, 'real.json'))).toEqual([[ADDED]]);
    });
  });
});
