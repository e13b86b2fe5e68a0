import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { asPrincipal, readKeyFile } from '../../src/gateway/auth/key-file.js';
import { Links } from '../../src/gateway/auth/links.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { referenceEndpoints } from '../support/reference-project.js';
import { runAlone, runCli, type Outcome } from '../support/run-cli.js';

const LINK_SECRET = 'a secret of thirty-two bytes, or more';

type Run = (...args: readonly string[]) => Promise<Outcome>;

const run = (
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> => runCli(['keys', ...args], { API_KEYS_FILE: file, LINK_SECRET, ...environment });

const RIGHTS = ['--endpoints', 'usage.*,logs.all', '--fixed', 'project=abc', '--requests', '600/60'];

/** A file with the key `tenant`, with RIGHTS. */
let original = '';

beforeAll(() =>
  withTemporaryFolder(async (folder) => {
    const file = path.join(folder, 'keys.yaml');
    expect((await run(file, ['add', 'tenant', ...RIGHTS])).code).toBe(0);
    original = await readFile(file, 'utf8');
  }),
);

/** Runs a test's body with the path of a file: missing, or a copy of the original. */
const withKeys = (
  start: 'without a file' | 'with tenant',
  use: (keys: Run, file: string) => Promise<void>,
): Promise<void> =>
  withTemporaryFolder(async (folder) => {
    const file = path.join(folder, 'keys.yaml');
    if (start === 'with tenant') await writeFile(file, original);
    await use((...args) => run(file, args), file);
  });

/** Errors of the command line alone, whatever the file contains. */
const USAGE = ['No endpoint has', 'is in the past'];

describe('npm run keys', () => {
  it('adds, lists, rotates and revokes keys; writes only the key itself to standard output', async () => {
    await withKeys('without a file', async (keys, file) => {
      const added = await keys(
        'add',
        'tenant',
        ...RIGHTS,
        '--expires',
        '2099-01-01',
        '--address',
        '10.0.0.0/8',
        '::1',
        '--may-link',
      );
      expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^qg_[\w-]{43}\n$/) as unknown });
      const first = hashApiKey(added.stdout.trim());
      const listed = await keys('list', '--json');
      expect(JSON.parse(listed.stdout)).toMatchObject([
        {
          name: 'tenant',
          keys: 1,
          endpoints: ['usage.*', 'logs.all'],
          fixed: { project: 'abc' },
          expires: '2099-01-01',
          addresses: ['10.0.0.0/8', '::1'],
          limits: { requests: { quota: 600, window: 60 } },
          mayLink: true,
        },
      ]);
      const second = hashApiKey((await keys('rotate', 'tenant')).stdout.trim());
      expect((await readKeyFile(file)).keys[0]?.sha256).toEqual([first, second]);
      const table = (await keys('list')).stdout.split('\n');
      expect(table[0]).toMatch(/^NAME +KEYS +CREATED/);
      expect(table[1]).toMatch(
        /^tenant +2 .* usage\.\*,logs\.all +project=abc +10\.0\.0\.0\/8,::1 +requests=600\/60 +link$/,
      );
      expect(table.join()).not.toContain(first.slice(0, 12));
      expect((await keys('rotate', 'tenant', '--finish')).code).toBe(0);
      expect((await readKeyFile(file)).keys[0]?.sha256).toEqual([second]);
      expect((await keys('revoke', 'tenant')).code).toBe(0);
      expect((await readKeyFile(file)).keys).toEqual([]);
    });
  });

  it('loses no key of concurrent processes', async () => {
    await withKeys('without a file', async (_keys, file) => {
      const names = ['a', 'b', 'c', 'd'];
      const outcomes = await Promise.all(
        names.map((name) => runAlone(['keys', 'add', name], { API_KEYS_FILE: file })),
      );
      expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      expect((await readKeyFile(file)).keys.map(({ name }) => name).sort()).toEqual(names);
    });
  });

  it('creates a link that authorizes', async () => {
    await withKeys('with tenant', async (keys, file) => {
      const created = await keys(
        ...['link', '--key', 'tenant', '--endpoint', 'usage.api-counts', '--param', 'interval=daily'],
        ...['--expires-in', '7d', '--base-url', 'https://gateway.example/'],
      );
      expect(created.code).toBe(0);
      const url = new URL(created.stdout.trim());
      expect(url.origin + url.pathname).toBe('https://gateway.example/api/endpoints/query/usage.api-counts');
      const sent = new Map([...url.searchParams].map(([name, value]) => [name, { text: value, times: 1 }]));
      const [stored] = (await readKeyFile(file)).keys;
      const endpoint = (await referenceEndpoints()).find('usage.api-counts');
      if (!endpoint || !stored) throw new Error('no such endpoint or key');
      const key = asPrincipal(stored);
      expect(sent.get('project')?.text).toBe('abc');
      expect(new Links(LINK_SECRET).open(endpoint, sent, () => key, Date.now())).toMatchObject({
        principal: { name: 'tenant', via: 'link' },
      });
    });
  });

  it('prints a link with PUBLIC_URL where --base-url is not given, else its path alone, and says so', async () => {
    await withKeys('with tenant', async (keys, file) => {
      const args = ['link', '--key', 'tenant', '--endpoint', 'logs.all', '--expires-in', '7d'];
      const ofPath = await keys(...args);
      expect([ofPath.code, ofPath.stdout]).toEqual([
        0,
        expect.stringMatching(/^\/api\/endpoints\/query\/logs\.all\?\S+\n$/),
      ]);
      expect(ofPath.stderr).toContain('--base-url');
      const whole = await run(file, args, { PUBLIC_URL: 'https://gateway.example/' });
      expect(whole.stdout).toMatch(/^https:\/\/gateway\.example\/api\/endpoints\/query\/logs\.all\?\S+\n$/);
      expect(whole.stderr).not.toContain('only the path');
    });
  });

  it.each([
    ['2', '3d', 1, 'at most 2 days'],
    ['120', '100d', 0, 'Valid until'],
    ['', '91d', 1, 'at most 90 days'],
    ['never', '1d', 1, 'LINK_MAX_DAYS must be a number'],
  ])('limits links to LINK_MAX_DAYS=%s, as the gateway does: %s', async (days, lifetime, code, message) => {
    await withKeys('with tenant', async (_keys, file) => {
      const args = ['link', '--key', 'tenant', '--endpoint', 'logs.all', '--expires-in', lifetime];
      const created = await run(file, args, { LINK_MAX_DAYS: days });
      expect(created.stderr).toContain(message);
      expect(created.code).toBe(code);
    });
  });

  it.each([
    [['add', 'x', '--expires', '2020-01-01'], 'is in the past'],
    [['add', 'x', '--endpoints', 'nothing.*'], 'no endpoint matches "nothing.*"'],
    [['add', 'tenant'], 'already has a key named tenant'],
    [['rotate', 'nobody'], 'has no key named "nobody"'],
    [['rotate', 'tenant', '--finish'], 'has only one key'],
    [['revoke', 'nobody'], 'has no key named "nobody"'],
    [
      ['link', '--key', 'tenant', '--endpoint', 'nothing', '--expires-in', '7d'],
      'No endpoint has the name or id "nothing"',
    ],
    [['link', '--key', 'tenant', '--endpoint', 'usage.api-counts', '--expires-in', '7d'], 'interval'],
    [
      ['link', '--key', 'tenant', '--endpoint', 'logs.all', '--param', 'project=b', '--expires-in', '7d'],
      'another project',
    ],
  ])('rejects %j on standard error, and does not change the file', async (args, message) => {
    await withKeys('with tenant', async (keys, file) => {
      const rejected = await keys(...args);
      expect(rejected).toMatchObject({
        code: USAGE.some((text) => message.includes(text)) ? 2 : 1,
        stdout: '',
      });
      expect(rejected.stderr).toContain(message);
      expect(await readFile(file, 'utf8')).toBe(original);
    });
  });
});
