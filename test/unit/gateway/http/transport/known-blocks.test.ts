import { KnownBlocks } from '../../../../../src/gateway/http/transport/known-blocks.js';

/** A block of lines, and what Node's parser makes of it where no name occurs twice. */
function blockOf(...lines: readonly string[]): { readonly text: string; readonly parsed: Parsed } {
  const pairs = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(': ', 2);
    return [name, value];
  });
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  const text = ` HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  return { text, parsed: { headers, rawHeaders: pairs.flat() } };
}

interface Parsed {
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
}

const learnt = blockOf('Host: a', 'X-Request-Id: 1', 'Accept: */*', 'X-Forwarded-For: 192.0.2.1');
const blocks = new KnownBlocks();
blocks.learn(learnt.text, learnt.parsed);

describe('KnownBlocks', () => {
  it('finds a block with other values of the lines that proxies send anew', () => {
    const other = blockOf(
      'Host: a',
      'X-Request-Id: b c',
      'Accept: */*',
      'X-Forwarded-For: 10.0.0.1, 10.0.0.2',
    );
    expect(blocks.find(other.text)).toEqual(other.parsed);
    expect(blocks.find(learnt.text)).toEqual(learnt.parsed);
  });

  it.each([
    ['another line', ['Host: b', 'X-Request-Id: 1', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['another order', ['X-Request-Id: 1', 'Host: a', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['another spelling', ['Host: a', 'x-request-id: 1', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['a line less', ['Host: a', 'X-Request-Id: 1', 'Accept: */*']],
    [
      'a name that occurs twice',
      ['Host: a', 'X-Request-Id: 1', 'X-Request-Id: 2', 'Accept: */*', 'X-Forwarded-For: 1'],
    ],
    ['an empty value', ['Host: a', 'X-Request-Id: ', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['two spaces', ['Host: a', 'X-Request-Id: 1  2', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['a space at the end', ['Host: a', 'X-Request-Id: 1 ', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['a tab', ['Host: a', 'X-Request-Id: 1\t2', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['a value that is not ASCII', ['Host: a', 'X-Request-Id: \xe9', 'Accept: */*', 'X-Forwarded-For: 1']],
    ['a folded line', ['Host: a', 'X-Request-Id: 1\r\n 2', 'Accept: */*', 'X-Forwarded-For: 1']],
  ])('does not find a block with %s', (_what, lines) => {
    expect(blocks.find(blockOf(...lines).text)).toBeUndefined();
  });

  it('keeps the latest blocks only, within 4 MiB', () => {
    const many = new KnownBlocks();
    const all = Array.from({ length: 3000 }, (_, number) => blockOf('Host: a', `X-Own: ${number}`));
    for (const { text, parsed } of all) many.learn(text, parsed);
    const found = all.filter(({ text }) => many.find(text) !== undefined);
    expect(found.length).toBeLessThan(2200);
    expect(found.at(-1)).toBe(all.at(-1));
  });
});
