import { joinPages, type JoinedFormat } from '../../../../../src/commands/cli/call/all-pages.js';

/** A page, and the headers that say that it is not the last one, or that rows are missing. */
type Page = readonly [body: string, headers?: Readonly<Record<string, string>>];

const NEXT = { 'X-Truncated': 'true', 'X-Next-Cursor': '1' };

async function joined(format: JoinedFormat, ...pages: readonly Page[]): Promise<string> {
  const [first = new Response(), ...later] = pages.map(
    ([body, headers = {}]) => new Response(body, { headers }),
  );
  const requestPage = (): Promise<Response> => Promise.resolve(later.shift() ?? new Response());
  return joinPages(first, format, requestPage).text();
}

describe('pages are joined', () => {
  it.each<readonly [JoinedFormat, readonly Page[], string]>([
    ['json', [['{"result":[]}']], '{"result":[]}'],
    [
      'json',
      [['{"result":[{"a":1},\n{"a":2}]}', NEXT], ['{"result":[{"a":3}]}']],
      '{"result":[{"a":1},\n{"a":2},\n{"a":3}]}',
    ],
    ['json', [['{"result":[{"a":1}]}', NEXT], ['{"result":[]}']], '{"result":[{"a":1}]}'],
    ['ndjson', [['{"a":1}\n', NEXT], ['{"a":2}\n']], '{"a":1}\n{"a":2}\n'],
    ['csv', [['"a\n""b"\r\n"x\r\ny"\r\n', NEXT], ['"a\n""b"\r\n1\r\n']], '"a\n""b"\r\n"x\r\ny"\r\n1\r\n'],
    ['csv', [['"a"\r\n']], '"a"\r\n'],
    ['tsv', [['a\tb\n1\t"\n', NEXT], ['a\tb\n2\t"\n']], 'a\tb\n1\t"\n2\t"\n'],
  ])('as %s', async (format, pages, expected) => {
    expect(await joined(format, ...pages)).toBe(expected);
  });

  it.each<readonly [string, readonly Page[], RegExp]>([
    ['rows of a shard are missing', [['{"a":1}\n', { 'X-Partial': 'true' }]], /Rows are missing/],
    [
      'more rows exist, but no cursor',
      [['{"a":1}\n', { 'X-Truncated': 'true' }]],
      /the endpoint has no pages/,
    ],
  ])('is an error where %s', async (_what, pages, message) => {
    await expect(joined('ndjson', ...pages)).rejects.toThrow(message);
  });

  it('is an error where the columns differ, or a page is no whole text', async () => {
    await expect(joined('csv', ['"a"\r\n1\r\n', NEXT], ['"b"\r\n2\r\n'])).rejects.toThrow(
      'different columns',
    );
    await expect(joined('json', ['{"result":[{"a":1}]}', NEXT], ['{"result":[{"a":2}'])).rejects.toThrow(
      'different columns',
    );
    await expect(joined('csv', ['"a'])).rejects.toThrow();
  });
});
