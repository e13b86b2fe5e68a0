import { Cursors } from '../../../../../src/gateway/auth/cursors.js';
import type { Principal } from '../../../../../src/gateway/auth/principal.js';
import { nextCursor, nextPageHeaders } from '../../../../../src/gateway/http/call/page-cursor.js';
import type { EndpointQuery } from '../../../../../src/gateway/query/endpoint-query.js';
import type { EndpointResult } from '../../../../../src/gateway/query/endpoint-result.js';
import { sampleEndpoint } from '../../../../support/sample-endpoint.js';
import { sampleResult } from '../../../../support/sample-result.js';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const QUERY: EndpointQuery = { endpoint: sampleEndpoint(), values: new Map([['city', 'Rome']]), scope: '' };
const [KEY, OTHER]: readonly Principal[] = [
  { name: 'a', mayBypassCache: false },
  { name: 'b', mayBypassCache: false },
];
const result = (changes: Partial<EndpointResult> = {}): EndpointResult =>
  sampleResult({ createdAt: NOW, lastRow: ['61'], ...changes });

describe('the cursor of the next page', () => {
  const cursors = new Cursors(undefined);
  const cursorOf = (
    at: number,
    changes: Partial<EndpointResult> = {},
    key = KEY,
    query = QUERY,
  ): string | undefined => key && nextCursor(cursors, key, query, result(changes), at);

  it('is absent from the last page, and where rows of a shard are missing', () => {
    expect(KEY && nextCursor(cursors, KEY, QUERY, sampleResult({ createdAt: NOW }), NOW)).toBeUndefined();
    expect(cursorOf(NOW, { partial: true })).toBeUndefined();
  });

  it('of a known call is made once a minute, of one result and for one key', () => {
    const first = cursorOf(NOW);
    expect(cursorOf(NOW + MINUTE - 1)).toBe(first);
    expect(cursorOf(NOW, {}, KEY, { ...QUERY })).toBe(first);
    const others = [
      cursorOf(NOW + MINUTE),
      cursorOf(NOW, { createdAt: NOW + 1 }),
      cursorOf(NOW, { digest: 'another', lastRow: ['62'] }),
      cursorOf(NOW, {}, OTHER),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
    expect(OTHER && cursors.open(others[3] ?? '', QUERY, OTHER, NOW)).toHaveProperty('last', ['61']);
  });
});

describe('the headers of a page', () => {
  const linkOf = (target: string | undefined, publicUrl?: string): string | undefined =>
    nextPageHeaders('CURSOR', target, publicUrl)[3];

  it.each([
    ['/q/a', '/q/a?cursor=CURSOR'],
    ['/q/a?', '/q/a?cursor=CURSOR'],
    ['/q/a?x=1&&cursor=old&api_key=k&y=?', '/q/a?x=1&y=?&cursor=CURSOR'],
    ['/q/a?c%75rsor=old&api%5Fkey&x=<">é', '/q/a?x=%3C%22%3E%C3%A9&cursor=CURSOR'],
    ['HTTP://a.example:8080/q/a?u=http://b/', '/q/a?u=http://b/&cursor=CURSOR'],
  ])('name the next page of %s', (target, link) => {
    expect(linkOf(target)).toBe(`<${link}>; rel="next"`);
    expect(linkOf(target, 'https://c.example/d')).toBe(`<https://c.example/d${link}>; rel="next"`);
  });

  it('have no Link that is long, or of a call that is not all in its URL', () => {
    expect([linkOf(undefined), linkOf(`/q/a?x=${'x'.repeat(2000)}`)]).toEqual([
      undefined,
      expect.any(String),
    ]);
    expect(nextPageHeaders('CURSOR', `/q/a?x=${'x'.repeat(2100)}`)).toEqual(['X-Next-Cursor', 'CURSOR']);
  });
});
