import { problemOfHost } from '../../../../../src/gateway/http/transport/malformed-head.js';

const problemOf = (host: string): string | undefined =>
  problemOfHost({ httpVersion: '1.1', headers: { host }, rawHeaders: ['Host', host] });

describe('a Host header', () => {
  it('must not be empty in the first request of a process', async () => {
    // With a query, Node loads the module once more.
    const url = new URL(
      '../../../../../src/gateway/http/transport/malformed-head.ts?new.ts',
      import.meta.url,
    );
    const loaded = (await import(url.href)) as { readonly problemOfHost: typeof problemOfHost };
    expect(loaded.problemOfHost).not.toBe(problemOfHost);
    const empty = { httpVersion: '1.1', headers: { host: '' }, rawHeaders: ['Host', ''] };
    expect(loaded.problemOfHost(empty)).toContain('is no host');
  });

  it.each([
    'gateway',
    'gateway.example.com:8080',
    'my_gateway',
    'a.example.:',
    '127.0.0.1:0',
    '[::1]',
    '[2001:db8::1]:65535',
    '[::ffff:10.0.0.1]',
    'xn--bcher-kva.example',
    'a%20b',
    "a!$&'()*+,;=~b",
  ])('may be %j', (host) => {
    expect(problemOf(host)).toBeUndefined();
  });

  it.each([
    '',
    ':8080',
    'a b',
    'a, b',
    'a:65536',
    'a:b',
    'a:1:2',
    '::1',
    '[::1',
    '[::1]a',
    '[1::2::3]',
    '[fe80::1%25eth0]',
    '[gateway]',
    'user@gateway',
    'http://gateway',
    'gateway/path',
    'gateway?a',
    'gateway#a',
    'a"b',
    'a\\b',
    'a%2',
    'é.example',
  ])('may not be %j', (host) => {
    expect(problemOf(host)).toContain('no host');
  });

  it('may be absent in HTTP/1.0 only', () => {
    const absent = { headers: {}, rawHeaders: [] };
    expect(problemOfHost({ httpVersion: '1.0', ...absent })).toBeUndefined();
    expect(problemOfHost({ httpVersion: '1.1', ...absent })).toContain('no Host');
  });

  it('may not be repeated, in HTTP/1.0 neither', () => {
    const twice = { headers: { host: 'a' }, rawHeaders: ['Host', 'a', 'Accept', 'host', 'HOST', 'a'] };
    for (const httpVersion of ['1.0', '1.1']) {
      expect(problemOfHost({ httpVersion, ...twice })).toContain('several');
    }
  });
});
