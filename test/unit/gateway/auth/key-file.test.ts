import path from 'node:path';

import { hashApiKey } from '../../../../src/gateway/auth/api-key.js';
import { entriesOf, parseKeyFile, readKeyFile } from '../../../../src/gateway/auth/key-file.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

const HASH = hashApiKey('one');
const OTHER_HASH = hashApiKey('two');

const errorOf = (file: string, text: string): string => {
  try {
    parseKeyFile(file, text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the text was accepted');
};
const errorOfKeys = (...keys: readonly unknown[]): string => errorOf('keys.json', JSON.stringify({ keys }));

describe('parseKeyFile', () => {
  it('reads JSON', () => {
    const text = JSON.stringify({ keys: [{ name: 'a', sha256: [HASH], created: '2026-05-17T00:00:00Z' }] });
    expect(entriesOf(parseKeyFile('keys.json', text))).toEqual([
      {
        principal: { name: 'a', mayBypassCache: false, created: '2026-05-17T00:00:00.000Z' },
        hashes: [HASH],
      },
    ]);
  });

  it('reads the rights of a key', () => {
    const key = {
      name: 'tenant',
      sha256: [HASH],
      endpoints: ['Logs.*', '0f3e8a5c-1111-4222-8333-444455556666'],
      fixed: { project: 'abc' },
      expires: '2027-01-01T12:00:00',
      addresses: ['10.0.0.0/8', '2001:db8::1'],
      limits: { requests: { quota: 600, window: 60 }, concurrent: 4 },
      mayBypassCache: true,
      mayLink: true,
      mayUseQueryString: true,
    };
    const [entry] = entriesOf(parseKeyFile('keys.json', JSON.stringify({ keys: [key] })));
    expect(entry?.principal).toEqual({
      name: 'tenant',
      endpoints: ['logs.*', '0f3e8a5c-1111-4222-8333-444455556666'],
      pinned: new Map([['project', 'abc']]),
      expiresAt: Date.UTC(2027, 0, 1, 12),
      addresses: { allows: expect.any(Function) as unknown },
      limits: { requests: { quota: 600, window: 60 }, concurrent: 4 },
      mayBypassCache: true,
      mayLink: true,
      mayUseQueryString: true,
    });
  });

  it.each(['keys.yaml', 'keys.yml', 'KEYS.YAML'])('reads YAML in %s', (file) => {
    const text = `# Keys of the team.\nkeys:\n  - name: a\n    sha256: [${HASH}, ${OTHER_HASH}]\n`;
    expect(entriesOf(parseKeyFile(file, text))).toEqual([
      { principal: { name: 'a', mayBypassCache: false }, hashes: [HASH, OTHER_HASH] },
    ]);
  });

  it('reads a hash in upper case', () => {
    const text = JSON.stringify({ keys: [{ name: 'a', sha256: [HASH.toUpperCase()] }] });
    expect(parseKeyFile('keys.json', text).keys[0]?.sha256).toEqual([HASH]);
  });

  it('reads a file without keys', () => {
    expect(parseKeyFile('keys.json', '{"keys":[]}').keys).toEqual([]);
  });

  it.each([
    [{ name: undefined }, '"keys[0].name" is required'],
    [{ name: 'a b' }, '"keys[0].name" must be 1 to 64 letters, digits or _ . @ -'],
    [{ sha256: [] }, '"keys[0].sha256" must contain at least 1 items'],
    [{ sha256: [HASH, HASH, HASH] }, 'must contain less than or equal to 2 items'],
    [{ sha256: [HASH.slice(1)] }, 'length must be 64 characters long'],
    [{ sha256: HASH }, '"keys[0].sha256" must be an array'],
    [{ sha265: [HASH] }, '"keys[0].sha265" is not allowed'],
    [{ endpoints: [] }, '"keys[0].endpoints" must contain at least 1'],
    [{ endpoints: ['a/b'] }, '"keys[0].endpoints[0]" must be the name or id'],
    [{ fixed: { project: 1 } }, '"keys[0].fixed.project" must be a'],
    [{ fixed: { project: '' } }, 'is not allowed to be empty'],
    [{ fixed: { 'A b': 'x' } }, 'is not allowed'],
    [{ expires: '2027-02-30' }, 'must be a date or time in ISO'],
    [{ addresses: ['10.0.0.0/33'] }, '"10.0.0.0/33" must be an IP address or range'],
    [{ limits: { requests: 5 } }, '"keys[0].limits.requests"'],
    [{ sha256: [HASH, HASH] }, 'contains a duplicate value'],
    [{ name: 'API_KEY' }, 'contains an invalid value'],
    [{ created: 'today' }, '"keys[0].created"'],
  ])('rejects a key with %j and names the field', (change, message) => {
    expect(errorOfKeys({ name: 'a', sha256: [HASH], ...change })).toContain(message);
  });

  it('reports every problem at once', () => {
    const message = errorOfKeys({ name: 'a b', sha256: [HASH] }, { name: 'c', sha256: [] }, 7);
    expect(message).toMatch(/keys\[0\]\.name.*keys\[1\]\.sha256.*keys\[2\]/);
  });

  it('rejects a repeated name', () => {
    const message = errorOfKeys({ name: 'a', sha256: [HASH] }, { name: 'a', sha256: [OTHER_HASH] });
    expect(message).toContain('"keys[1]" contains a duplicate value');
  });

  it('rejects a hash that two names share, without printing the hash', () => {
    const message = errorOfKeys({ name: 'a', sha256: [HASH] }, { name: 'b', sha256: [HASH.toUpperCase()] });
    expect(message).toContain('the keys a and b have the same hash');
    expect(message).not.toMatch(/[0-9a-f]{16}/i);
  });

  it.each([
    ['keys.json', ''],
    ['keys.json', 'null'],
    ['keys.json', '[]'],
    ['keys.yaml', ''],
    ['keys.yaml', '- a'],
  ])('rejects %s with the text %j and names the file', (file, text) => {
    expect(errorOf(file, text)).toMatch(
      new RegExp(
        `^the keys file ${file} is (?:invalid: "the file" must be of type object|not valid JSON: .*)$`,
      ),
    );
  });

  it.each([
    ['keys.json', '{"keys":', 'is not valid JSON: Unexpected end of JSON input'],
    ['keys.yaml', 'keys: [', 'is not valid YAML: '],
  ])('names the format of the malformed file %s', (file, text, expected) => {
    expect(errorOf(file, text)).toContain(`the keys file ${file} ${expected}`);
  });

  it.each([
    ['an unterminated string', `{"keys":[{"name":"a","sha256":["${HASH}`],
    ['something after a hash', `{"keys":[{"name":"a","sha256":["${HASH}"x]}]}`],
    ['something before a hash', `{"keys":[{"name":"a","sha256":[x"${HASH}"]}]}`],
    ['a line feed after a hash', `{"keys":[{"name":"a","sha256":["${HASH}\n"]}]}`],
    ['a hash without quotes', `{"keys":[{"name":"a","sha256":[${HASH}]}]}`],
    ['a hash as a name', `{"keys":[{"name":"${HASH} ","sha256":["${HASH}"]}]}`],
    ['a hash as a field', `{"keys":[{"${HASH}":1,"name":"a","sha256":["${HASH}"]}]}`],
    ['a hash with an extra letter', `{"keys":[{"name":"a","sha256":["${HASH}z"]}]}`],
    ['a hash instead of the keys', `"${HASH}"`],
  ])('prints no part of a hash for %s in JSON', (_what, text) => {
    expect(errorOf('keys.json', text)).not.toMatch(/[0-9a-f]{8}/);
  });

  it.each([
    ['an unterminated string', `keys:\n- name: a\n  sha256: ["${HASH}`],
    ['a hash at the wrong indentation', `keys:\n  - name: a\n    sha256:\n  ["${HASH}"]\n`],
    ['a hash where a field should be', `keys:\n  - name: a\n    ${HASH}\n    sha256: ["${HASH}"]\n`],
    ['a hash as an alias', `keys: *${HASH}`],
    ['a hash as a tag', `keys: [{name: a, sha256: [!${HASH} {]}]`],
  ])('prints no part of a hash for %s in YAML', (_what, text) => {
    expect(errorOf('keys.yaml', text)).not.toMatch(/[0-9a-f]{8}/);
  });
});

describe('readKeyFile', () => {
  it('names a file that does not exist', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await expect(readKeyFile(file)).rejects.toThrow(
        `the keys file ${file} cannot be read: the file does not exist. Set API_KEYS_FILE`,
      );
    });
  });
});
