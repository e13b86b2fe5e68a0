import { queryTargetOf } from '../../../../src/gateway/clickhouse/connection.js';

const CONNECTION = { username: 'reader', password: 'p:w', database: 'logs' };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('queryTargetOf', () => {
  it('is the address, the database and the credentials of the connection', () => {
    expect(queryTargetOf({ ...CONNECTION, url: 'https://[::1]:8443' })).toEqual({
      isSecure: true,
      host: '::1',
      port: '8443',
      path: '/',
      search: 'database=logs',
      headers: { 'User-Agent': 'querygate', Authorization: basic('reader:p:w') },
    });
  });

  it('has credentials and the database of the URL, where it has them', () => {
    expect(queryTargetOf({ ...CONNECTION, url: 'http://us%40er:p%3Aw@host/other' })).toMatchObject({
      isSecure: false,
      host: 'host',
      port: '',
      search: 'database=other',
      headers: { Authorization: basic('us@er:p:w') },
    });
  });

  it('has a path, a token, settings and headers of the query string of the URL', () => {
    const url =
      'http://host/?pathname=/clickhouse&access_token=t&ch_max_threads=2&clickhouse_setting_a=b&http_header_X-A=1';
    expect(queryTargetOf({ ...CONNECTION, url })).toMatchObject({
      path: '/clickhouse',
      search: 'database=logs&max_threads=2&a=b',
      headers: { 'X-A': '1', Authorization: 'Bearer t' },
    });
  });

  it.each([
    ['clickhouse', '/clickhouse'],
    ['%2Fa%20b%2F', '/a%20b/'],
  ])('sends to the path of pathname=%s as the client of ClickHouse does', (pathname, path) => {
    expect(queryTargetOf({ ...CONNECTION, url: `http://host/?pathname=${pathname}` })).toMatchObject({
      path,
    });
  });
});
