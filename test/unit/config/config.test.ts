import { readConfig, type Environment } from '../../../src/config/config.js';

const faultOf = (environment: Environment): string => {
  try {
    readConfig(environment);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the environment was accepted');
};

describe('readConfig', () => {
  it('starts an own ClickHouse with demonstration data where nothing is set', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: '.data',
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

  it('uses the ClickHouse that it is told to', () => {
    const environment = { CLICKHOUSE_URL: 'https://ch.example:8443', CLICKHOUSE_USER: 'reader' };
    expect(readConfig({ ...environment, CLICKHOUSE_PASSWORD: 'p' }).clickhouse).toEqual({
      kind: 'external',
      urls: ['https://ch.example:8443'],
      username: 'reader',
      password: 'p',
      database: 'logs',
    });
  });

  it('takes a cluster of a server’s that it is told of, and none of its own server’s', () => {
    const environment = { CLICKHOUSE_URL: 'http://ch.example:8123', CLICKHOUSE_CLUSTER: 'prod' };
    expect(readConfig(environment).clickhouse).toMatchObject({ kind: 'external', cluster: 'prod' });
    expect(faultOf({ CLICKHOUSE_CLUSTER: 'prod' })).toContain('CLICKHOUSE_URL is required');
  });

  it('gives no partial answers unless it is told to', () => {
    expect(readConfig({}).allowPartial).toBe(false);
    expect(readConfig({ ALLOW_PARTIAL: 'on' }).allowPartial).toBe(true);
    expect(faultOf({ ALLOW_PARTIAL: 'yes' })).toContain('ALLOW_PARTIAL');
  });

  it('reads seconds as milliseconds, fractions too', () => {
    const config = readConfig({ QUERY_TIMEOUT_SECONDS: '0.5', SHUTDOWN_TIMEOUT_SECONDS: '0' });
    expect([config.queryTimeoutMs, config.shutdownTimeoutMs]).toEqual([500, 0]);
  });

  it('has times in ISO 8601 unless it is told otherwise', () => {
    expect(readConfig({}).times).toBe('iso');
    expect(readConfig({ RESPONSE_TIMES: 'unix-micros' }).times).toBe('unix-micros');
    expect(faultOf({ RESPONSE_TIMES: 'unix' })).toContain('RESPONSE_TIMES');
  });

  it('reads a list of origins', () => {
    const config = readConfig({ CORS_ORIGINS: 'https://a.example, https://b.example,' });
    expect(config.corsOrigins).toEqual(['https://a.example', 'https://b.example']);
  });

  it('ignores variables that are not its own', () => {
    expect(readConfig({ PATH: '/bin', CLICKHOUSE: 'x' })).toEqual(readConfig({}));
  });

  it('lists everything that is wrong at once', () => {
    const fault = faultOf({
      PORT: '80x',
      DEMO_DATA: 'yes',
      CLICKHOUSE_URL: 'tcp://ch:9000',
      REDIS_URL: 'localhost:6379',
      QUERY_TIMEOUT_SECONDS: '0',
      LOG_LEVEL: 'loud',
    });
    expect(fault.split('\n').map((line) => line.trim().split(' ')[0])).toEqual([
      'The',
      'PORT',
      'DEMO_DATA',
      'CLICKHOUSE_URL',
      'REDIS_URL',
      'QUERY_TIMEOUT_SECONDS',
      'LOG_LEVEL',
    ]);
  });

  it('tells a secret that is too short together with the issuer that is missing', () => {
    expect(
      faultOf({ JWT_SECRET: 'x'.repeat(31), LINK_SECRET: 'é'.repeat(15) })
        .split('\n')
        .slice(1),
    ).toEqual([
      '  JWT_SECRET has to have 32 bytes at least: openssl rand -base64 32',
      '  JWT_ISSUER is required',
      '  LINK_SECRET has to have 32 bytes at least: openssl rand -base64 32',
    ]);
    expect(readConfig({ LINK_SECRET: 'é'.repeat(16) }).links.secret).toBe('é'.repeat(16));
  });

  it.each(['2', '64', '1000'])('rejects WORKERS=%s in one line that names the replacement', (WORKERS) => {
    expect(faultOf({ WORKERS })).toMatch(
      /^WORKERS above 1 is no longer supported: run several gateways that share a Redis .*--scale gateway=N.*$/,
    );
  });

  it('accepts WORKERS=1 and an empty one, and changes nothing for them', () => {
    for (const WORKERS of ['1', '']) expect(readConfig({ WORKERS })).toEqual(readConfig({}));
  });

  it('lets warming spend a second for each second that passes, or one for each refresh at a time', () => {
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
  ])('refuses %s=%s, naming the variable', (name, value) => {
    expect(faultOf({ [name]: value })).toContain(`  ${name} `);
  });

  it('prints no value, which might be a password', () => {
    const fault = faultOf({
      CLICKHOUSE_URL: 'tcp://u:hunter2@ch',
      REDIS_URL: 'x://:hunter2@r',
      PORT: 'hunter2',
    });
    expect(fault).not.toContain('hunter2');
  });
});
