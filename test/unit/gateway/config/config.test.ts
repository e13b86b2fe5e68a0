import path from 'node:path';

import { readConfig, type Environment } from '../../../../src/gateway/config/config.js';

const faultOf = (environment: Environment): string => {
  try {
    readConfig(environment);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the environment was accepted');
};

describe('readConfig', () => {
  it('starts an embedded ClickHouse with demonstration data by default', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: path.resolve('.data'),
      clickhouse: { kind: 'embedded', database: 'logs', demoData: true },
      apiKey: undefined,
      apiKeysFile: undefined,
      redisUrl: undefined,
      corsOrigins: [],
      queryTimeoutMs: 30_000,
    });
  });

  it('counts an empty variable as unset', () => {
    expect(readConfig({ PORT: '', API_KEY: '', CLICKHOUSE_URL: '', DEMO_DATA: '' })).toEqual(readConfig({}));
  });

  it('uses an external ClickHouse when CLICKHOUSE_URL is set', () => {
    const environment = { CLICKHOUSE_URL: 'https://ch.example:8443', CLICKHOUSE_USER: 'reader' };
    expect(readConfig({ ...environment, CLICKHOUSE_PASSWORD: 'p' }).clickhouse).toEqual({
      kind: 'external',
      urls: ['https://ch.example:8443'],
      username: 'reader',
      password: 'p',
      database: 'logs',
    });
  });

  it('accepts CLICKHOUSE_CLUSTER only together with CLICKHOUSE_URL', () => {
    const environment = { CLICKHOUSE_URL: 'http://ch.example:8123', CLICKHOUSE_CLUSTER: 'prod' };
    expect(readConfig(environment).clickhouse).toMatchObject({ kind: 'external', cluster: 'prod' });
    expect(faultOf({ CLICKHOUSE_CLUSTER: 'prod' })).toContain('CLICKHOUSE_URL is required');
  });

  it('disables partial results by default', () => {
    expect(readConfig({}).allowPartial).toBe(false);
    expect(readConfig({ ALLOW_PARTIAL: 'on' }).allowPartial).toBe(true);
    expect(faultOf({ ALLOW_PARTIAL: 'yes' })).toContain('ALLOW_PARTIAL');
  });

  it('converts seconds to milliseconds, fractions too', () => {
    const config = readConfig({ QUERY_TIMEOUT_SECONDS: '0.5', SHUTDOWN_TIMEOUT_SECONDS: '0' });
    expect([config.queryTimeoutMs, config.shutdownTimeoutMs]).toEqual([500, 0]);
  });

  it('uses ISO 8601 times by default', () => {
    expect(readConfig({}).times).toBe('iso');
    expect(readConfig({ RESPONSE_TIMES: 'unix-micros' }).times).toBe('unix-micros');
    expect(faultOf({ RESPONSE_TIMES: 'unix' })).toContain('RESPONSE_TIMES');
  });

  it('reads a list of origins', () => {
    const config = readConfig({ CORS_ORIGINS: 'https://a.example, https://b.example,' });
    expect(config.corsOrigins).toEqual(['https://a.example', 'https://b.example']);
  });

  it('ignores unknown variables', () => {
    expect(readConfig({ PATH: '/bin', CLICKHOUSE: 'x' })).toEqual(readConfig({}));
  });

  it('lists all invalid variables', () => {
    const fault = faultOf({
      PORT: '80x',
      DEMO_DATA: 'yes',
      CLICKHOUSE_URL: 'tcp://ch:9000',
      REDIS_URL: 'localhost:6379',
      QUERY_TIMEOUT_SECONDS: '0',
      LOG_LEVEL: 'loud',
    });
    expect(fault.split('\n').map((line) => line.trim().split(' ')[0])).toEqual([
      'Invalid',
      'PORT',
      'DEMO_DATA',
      'CLICKHOUSE_URL',
      'REDIS_URL',
      'QUERY_TIMEOUT_SECONDS',
      'LOG_LEVEL',
    ]);
  });

  it('reports a secret that is too short together with a missing issuer', () => {
    expect(
      faultOf({ JWT_SECRET: 'x'.repeat(31), LINK_SECRET: 'é'.repeat(15) })
        .split('\n')
        .slice(1),
    ).toEqual([
      '  JWT_SECRET must have at least 32 bytes; create one with: openssl rand -base64 32',
      '  JWT_ISSUER is required',
      '  LINK_SECRET must have at least 32 bytes; create one with: openssl rand -base64 32',
    ]);
    expect(readConfig({ LINK_SECRET: 'é'.repeat(16) }).links.secret).toBe('é'.repeat(16));
  });

  it.each([
    ['https://Gateway.example.com:443/', 'https://gateway.example.com'],
    ['http://10.0.0.1:8080', 'http://10.0.0.1:8080'],
    ['https://example.com/querygate//', 'https://example.com/querygate'],
    ['https://example.com/a"b', 'https://example.com/a%22b'],
  ])('reads PUBLIC_URL=%s as %s', (PUBLIC_URL, publicUrl) => {
    expect(readConfig({ PUBLIC_URL }).publicUrl).toBe(publicUrl);
  });

  it.each([
    ['gateway.example.com', 'must begin with http:// or https://'],
    ['ftp://gateway.example.com', 'must begin with http:// or https://'],
    ['https://', 'must begin with http:// or https://'],
    ['https://user:secret@gateway.example.com', 'must have no user, query string or fragment'],
    ['https://gateway.example.com?', 'must have no user, query string or fragment'],
    ['https://gateway.example.com/#a', 'must have no user, query string or fragment'],
  ])('rejects PUBLIC_URL=%s: it %s', (PUBLIC_URL, problem) => {
    expect(faultOf({ PUBLIC_URL })).toContain(`  PUBLIC_URL ${problem}, such as https://gateway.example.com`);
    expect(faultOf({ PUBLIC_URL })).not.toContain('secret');
  });

  it.each(['2', '64', '1000'])('rejects WORKERS=%s in one line that names the replacement', (WORKERS) => {
    expect(faultOf({ WORKERS })).toMatch(
      /^WORKERS above 1 is no longer supported: run several gateways that share a Redis .*--scale gateway=N.*$/,
    );
  });

  it('accepts WORKERS=1 and an empty WORKERS without effect', () => {
    for (const WORKERS of ['1', '']) expect(readConfig({ WORKERS })).toEqual(readConfig({}));
  });

  it('limits WARM_BUDGET to WARM_CONCURRENCY', () => {
    expect(readConfig({ WARM_BUDGET: '1' }).warming.budget).toBe(1);
    expect(readConfig({ WARM_BUDGET: '2.5', WARM_CONCURRENCY: '3' }).warming.budget).toBe(2.5);
    for (const environment of [{ WARM_BUDGET: '10' }, { WARM_BUDGET: '2.5', WARM_CONCURRENCY: '2' }])
      expect(faultOf(environment)).toContain('  WARM_BUDGET must be at most WARM_CONCURRENCY');
  });

  it.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['WORKERS', '0'],
    ['WORKERS', '1.5'],
    ['WORKERS', 'two'],
    ['QUERY_TIMEOUT_SECONDS', '-1'],
    ['QUERY_TIMEOUT_SECONDS', '301'],
    ['QUERY_TIMEOUT_SECONDS', 'Infinity'],
    ['SHUTDOWN_TIMEOUT_SECONDS', '-1'],
    ['DEMO_DATA', 'true'],
    ['CLICKHOUSE_URL', 'ch.example'],
    ['LOG_LEVEL', 'INFO'],
  ])('rejects %s=%s and names the variable', (name, value) => {
    expect(faultOf({ [name]: value })).toContain(`  ${name} `);
  });

  it.each([
    { RECORD_CALLS: 'on', REQUEST_LOG: 'off' },
    { RECORD_CALLS: 'on', CLICKHOUSE_URL: 'http://ch.example:8123' },
  ])('accepts RECORD_CALLS=on only with a request log: %j', (environment) => {
    expect(faultOf(environment)).toBe(
      'RECORD_CALLS=on needs the request log, whose user writes the calls: ' +
        'set CLICKHOUSE_LOG_USER and leave REQUEST_LOG on, or RECORD_CALLS off.',
    );
    expect(readConfig({ RECORD_CALLS: 'on' }).recordsCalls).toBe(true);
  });

  it('never prints a value, which might be a password', () => {
    const fault = faultOf({
      CLICKHOUSE_URL: 'tcp://u:hunter2@ch',
      REDIS_URL: 'x://:hunter2@r',
      PORT: 'hunter2',
    });
    expect(fault).not.toContain('hunter2');
  });
});
