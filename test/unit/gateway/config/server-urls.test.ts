import { readConfig } from '../../../../src/gateway/config/config.js';
import { readServerUrls, serverName } from '../../../../src/gateway/config/server-urls.js';

const faultOf = (CLICKHOUSE_URL: string): string => {
  try {
    readConfig({ CLICKHOUSE_URL });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the URLs were accepted');
};

describe('CLICKHOUSE_URL', () => {
  it('lists one or several servers, which share the user', () => {
    const text = 'http://a:8123, https://b.example:8443/ch ,http://[::1]:8123';
    expect(readConfig({ CLICKHOUSE_URL: text, CLICKHOUSE_LOG_USER: 'log' }).clickhouse).toEqual({
      kind: 'external',
      urls: ['http://a:8123', 'https://b.example:8443/ch', 'http://[::1]:8123'],
      username: 'default',
      password: '',
      database: 'logs',
      log: { username: 'log', password: '', database: 'logs' },
    });
  });

  it.each([
    ['another scheme', 'http://a:8123,tcp://b:9000', 'number 2 of 2 (tcp://b:9000) is invalid'],
    ['no scheme', 'localhost:8123', 'number 1 of 1 (localhost:8123) is invalid'],
    ['an invalid port', 'http://a:8123,http://b:eight', 'number 2 of 2 (http://b:eight) is invalid'],
    ['nothing between commas', 'http://a:8123,,http://b:8123', 'number 2 of 3 is invalid'],
    ['nothing after a comma', 'http://a:8123,', 'number 2 of 2 is invalid'],
    ['no host', 'http:///ping', 'number 1 of 1 (http:///ping) is invalid'],
  ])('is rejected for %s, and the error identifies the URL', (_what, text, expected) => {
    expect(faultOf(text)).toContain(
      '  CLICKHOUSE_URL must be a comma-separated list of http:// or https:// URLs',
    );
    expect(faultOf(text)).toContain(expected);
  });

  it('is rejected when it contains a server twice', () => {
    expect(faultOf('http://a,http://u:secret@A:80/')).toContain('CLICKHOUSE_URL contains a:80 twice');
    expect(faultOf('http://a,http://u:secret@A:80/')).not.toContain('secret');
  });

  it.each([
    'tcp://user:secret@a:9000',
    'http://a:8123,http://user:sec,secret@b:8123',
    'http://user:se/secret@a:8123',
    'http://a:8123,tcp://b:9000?password=secret',
  ])('is rejected without showing credentials: %s', (text) => {
    expect(faultOf(text)).toContain('CLICKHOUSE_URL must be');
    expect(faultOf(text)).not.toMatch(/secret|user/);
  });
});

describe('serverName', () => {
  it.each([
    ['http://user:secret@ch.example', 'ch.example:80'],
    ['https://ch.example/', 'ch.example:443'],
    ['http://127.0.0.1:8123', '127.0.0.1:8123'],
    ['http://[::1]:8123', '[::1]:8123'],
    ['https://proxy.example/east/?token=secret', 'proxy.example:443/east'],
  ])('of %s is %s', (url, name) => {
    expect(serverName(url)).toBe(name);
    expect(readServerUrls(url)).toEqual([url]);
  });
});
