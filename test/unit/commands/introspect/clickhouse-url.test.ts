import { CommandError, EXIT } from '../../../../src/commands/cli/exit-codes.js';
import { connectionOf } from '../../../../src/commands/introspect/clickhouse-url.js';

const ENVIRONMENT = {
  CLICKHOUSE_USER: 'of-environment',
  CLICKHOUSE_PASSWORD: 'secret',
  CLICKHOUSE_DATABASE: 'logs',
};

describe('the connection of --from', () => {
  it('has the user, password and database of the URL, decoded, and none of them in its own URL', () => {
    expect(connectionOf('https://a%40b:p%2Fw@clickhouse:8443/my%20shop', {}, ENVIRONMENT)).toEqual({
      url: 'https://clickhouse:8443',
      username: 'a@b',
      password: 'p/w',
      database: 'my shop',
    });
  });

  it('prefers the options, and falls back to the environment, then to ClickHouse’s defaults', () => {
    const credentials = { user: 'reader', password: '' };
    expect(connectionOf('http://a:b@h:8123/', credentials, ENVIRONMENT)).toEqual({
      url: 'http://h:8123',
      username: 'reader',
      password: '',
      database: 'logs',
    });
    expect(connectionOf('http://h:8123', {}, ENVIRONMENT)).toMatchObject({
      username: 'of-environment',
      password: 'secret',
    });
    expect(connectionOf('http://h:8123', {}, {})).toMatchObject({ username: 'default', database: 'default' });
  });

  it.each([
    ['tcp://a:secret@h:9000', /HTTP interface/],
    ['clickhouse', /HTTP interface/],
    ['http://a:secret@h:8123/shop/orders', /at most a database/],
    ['http://a:secret@h:8123/?database=shop', /at most a database/],
    ['http://a:%E0%A4@h:8123/', /%25/],
  ])('is invalid usage for %s, without its password', (url, message) => {
    let error: unknown;
    try {
      connectionOf(url, {}, {});
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(CommandError);
    const { exitCode, message: text } = error as CommandError;
    expect([exitCode, text]).toEqual([EXIT.usage, expect.stringMatching(message)]);
    expect(text).not.toContain('secret');
  });
});
