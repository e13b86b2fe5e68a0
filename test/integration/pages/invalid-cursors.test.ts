import { Links } from '../../../src/gateway/auth/links.js';
import { asPrincipal } from '../../../src/gateway/auth/key-file.js';
import { Cursors, type Position } from '../../../src/gateway/auth/cursors.js';
import { receive, type Received } from '../../support/listening-gateway.js';
import { cursorOf, KEYS, PagingGateway, problemIn } from '../../support/paging-gateway.js';
import { openForAll } from '../../support/opened.js';

const SECRET = 'a secret for links in tests, long enough';

const paging = openForAll(() => PagingGateway.open());

const cursorFrom = async (call: string, from = paging, key: string = KEYS.reader): Promise<string> =>
  cursorOf(await from.receive(call, { key })) ?? '';

describe('a cursor is invalid', () => {
  let cursor = '';
  beforeAll(async () => {
    cursor = await cursorFrom('rows?n=30');
    expect(cursor).toMatch(/^[\w-]{50,1000}$/);
  });

  it('of another endpoint, other parameters, or other pinned parameters', async () => {
    const problem = async (call: string, key: string = KEYS.reader): Promise<string> =>
      problemIn(await paging.receive(`${call}&cursor=${cursor}`, { key }));
    expect(await problem('others?n=30')).toContain(
      '400 INVALID_CURSOR: Invalid cursor: cursor is of another endpoint',
    );
    for (const call of ['rows?n=31', 'rows?n=30&tenant=b', 'rows?n=30&since=now-2h']) {
      expect(await problem(call)).toContain(
        '400 INVALID_CURSOR: Invalid cursor: cursor is of other parameters',
      );
    }
    expect(await problem('rows?n=30', KEYS.tenant)).toContain(
      'cursor is of a key with other pinned parameters',
    );
    expect((await paging.receive(`rows?n=30&format=csv&cursor=${cursor}`)).status).toBe(200);
  });

  it('with any letter changed, removed or added', async () => {
    const changed = Array.from(cursor, (letter, at) => {
      return `${cursor.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    });
    const others = [
      '',
      'x',
      '%00',
      '%ff',
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      'A'.repeat(2000),
    ];
    for (const text of [...changed, ...others]) {
      const response = await paging.receive(`rows?n=30&cursor=${text}`);
      expect([text, problemIn(response).slice(0, 20)]).toEqual([text, '400 INVALID_CURSOR: ']);
    }
  });

  it('given twice, with SQL of the caller’s own, and where there are no pages', async () => {
    const problem = async (call: string): Promise<string> => problemIn(await paging.receive(call));
    expect(await problem(`rows?n=30&cursor=${cursor}&cursor=${cursor}`)).toContain(
      'INVALID_CURSOR: Invalid cursor: cursor is given 2 times',
    );
    const sql = encodeURIComponent('SELECT n FROM result');
    expect(await problem(`rows?n=30&cursor=${cursor}&sql=${sql}`)).toContain(
      'cursor is not possible with sql, whose rows have no pages',
    );
    expect(await problem(`whole?n=30&cursor=${cursor}`)).toContain(
      'cursor is not possible: this endpoint has no pages',
    );
    expect(await problem(`rows?n=30&cursor=${cursor}&export=1`)).toContain(
      '400 INVALID_PARAMETERS: Invalid parameters: export is not possible with cursor',
    );
  });

  it('a day after its first page', async () => {
    await PagingGateway.use({
      test: async (own) => {
        const first = await cursorFrom('others?n=30', own);
        own.clock.advance(86_400_000);
        const second = await own.receive(`others?n=30&cursor=${first}`);
        expect(second.status).toBe(200);
        own.clock.advance(1);
        for (const text of [first, cursorOf(second) ?? '']) {
          expect(problemIn(await own.receive(`others?n=30&cursor=${text}`))).toContain('more than a day old');
        }
      },
    });
  });

  it('where a caller computes one that chooses the clock, or has other values than a row', async () => {
    await PagingGateway.use({
      environment: {},
      test: async (own) => {
        const endpoint = own.gateway.endpoints.find('others');
        if (!endpoint) throw new Error('no endpoint');
        const { now } = own.clock;
        const call = { endpoint, values: new Map([['n', '30']]), scope: '' };
        const responseTo = async (position: Partial<Position>): Promise<Received> => {
          const all = { readAt: now, now, last: [Buffer.from('5').toString('hex')], ...position };
          const cursor = new Cursors(undefined).seal(all, call, { name: 'reader', mayBypassCache: false });
          return own.receive(`others?n=30&cursor=${cursor}`);
        };
        const day = 86_400_000;
        expect((await responseTo({})).status).toBe(200);
        for (const position of [
          { now: now + day },
          { readAt: now + day },
          { now: now - 2 * day },
          { last: [] },
          { last: ['35', '35'] },
          ...['', '-1', 'x', '5x', '1.5', '\0', "') OR 1", 'x'.repeat(3000)].map((text) => ({
            last: [Buffer.from(text).toString('hex')],
          })),
        ]) {
          expect([position, problemIn(await responseTo(position))]).toEqual([
            position,
            expect.stringContaining('400 INVALID_CURSOR'),
          ]);
        }
        expect(own.logger.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
      },
    });
  });

  it('of another definition', async () => {
    await PagingGateway.use({
      files: PagingGateway.fileOf('rows', 'number % 4', 'number % 5'),
      test: async (changed) => {
        const response = await changed.receive(`rows?n=30&cursor=${cursor}`);
        expect(problemIn(response)).toContain('cursor is of another definition of this endpoint');
      },
    });
  });
});

it('the place of a page makes no WITH query readable for a caller’s own SQL', async () => {
  await PagingGateway.use({
    files: {
      others: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0202
summary: Rows of a tenant, of a WITH query that has all.
parameters: { tenant: { kind: string, required: true, description: Whose rows. } }
columns: { n: UInt64 }
pages: { by: [n] }
sandboxing: enabled
example: { tenant: a }
*/
WITH everything AS (SELECT number AS n, toString(number % 2) AS tenant FROM numbers(30) WHERE true [[ AND @after ]])
SELECT n FROM everything WHERE tenant = @tenant ORDER BY n
`,
    },
    test: async (own) => {
      const sql = encodeURIComponent('SELECT count() AS n FROM everything');
      expect(problemIn(await own.receive(`others?tenant=1&sql=${sql}`))).toContain('400 INVALID_PARAMETERS');
      const ofResult = encodeURIComponent('SELECT count() AS n FROM result');
      expect((await own.receive(`others?tenant=1&sql=${ofResult}`)).body.toString()).toBe(
        '{"result":[{"n":15}]}',
      );
    },
  });
});

describe('a cursor is valid', () => {
  it('at every gateway with the same LINK_SECRET, for every key without pinned parameters', async () => {
    const [cursor, second] = [await cursorFrom('rows?n=30'), await PagingGateway.open()];
    try {
      for (const key of [KEYS.reader, KEYS.other]) {
        expect((await second.receive(`rows?n=30&cursor=${cursor}`, { key })).status).toBe(200);
      }
    } finally {
      await second.close();
    }
  });

  it('without LINK_SECRET at every gateway, for the key that it was made for alone', async () => {
    const [first, second] = [await PagingGateway.open({}), await PagingGateway.open({})];
    try {
      const cursor = await cursorFrom('rows?n=30', first);
      expect((await second.receive(`rows?n=30&cursor=${cursor}`)).status).toBe(200);
      const other = await second.receive(`rows?n=30&cursor=${cursor}`, { key: KEYS.other });
      expect(problemIn(other)).toContain(
        'INVALID_CURSOR: Invalid cursor: cursor was changed, or is of another endpoint',
      );
      expect(problemIn(await paging.receive(`rows?n=30&cursor=${cursor}`))).toContain(
        'made with another LINK_SECRET',
      );
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  });

  it('beside a signed link, which was signed for the first page', async () => {
    const endpoint = paging.gateway.endpoints.find('rows');
    if (!endpoint) throw new Error('no endpoint');
    const nowMs = paging.clock.now;
    const key = asPrincipal({ name: 'tenant', sha256: [], fixed: { tenant: 'a' } });
    const link = new Links(SECRET).sign({
      ...{ endpoint, key, nowMs, parameters: new Map([['n', '25']]), expiresAtMs: nowMs + 60_000 },
    });
    const sizes: unknown[] = [];
    for (let target: string | undefined = link; target !== undefined;) {
      const page = await receive(`${paging.gateway.url}${target}`, { key: '' });
      sizes.push(page.headers['x-row-count']);
      target = /<(.*)>/.exec(String(page.headers['link'] ?? ''))?.[1];
    }
    expect(sizes).toEqual(['10', '10', '5']);
  });

  it('in a Link with PUBLIC_URL before its path', async () => {
    await PagingGateway.use({
      environment: { PUBLIC_URL: 'https://example.com/data' },
      test: async (own) => {
        const { headers } = await own.receive('others?n=30');
        expect(headers['link']).toMatch(
          /^<https:\/\/example\.com\/data\/api\/endpoints\/query\/others\?n=30&cursor=[\w-]+>; rel="next"$/,
        );
      },
    });
  });
});
