import { parseTtl } from '../../../../src/commands/loading/ttl.js';

const SETTINGS = ' SETTINGS index_granularity = 8192';

describe('parseTtl', () => {
  it.each([
    ['timestamp + toIntervalDay(90)', 'older than 90 days', true],
    ['day + toIntervalMonth(1)', 'older than 1 month', false],
  ])('describes the age after which %s deletes', (ttl, description, dependsOnTime) => {
    expect(parseTtl(`MergeTree ORDER BY x TTL ${ttl}`)).toMatchObject({ description, dependsOnTime });
  });

  it('prints any other TTL, and evaluates each of its parts', () => {
    const ttl = parseTtl(
      `MergeTree ORDER BY x TTL d + toIntervalDay(1) WHERE (x > 5) AND (y != ' TTL \\' SETTINGS , '), expires_at${SETTINGS}`,
    );
    expect(ttl).toEqual({
      isExpired:
        "greatest(if((x > 5) AND (y != ' TTL \\' SETTINGS , '), if(toInt64(d + toIntervalDay(1)) = 0, 0, d + toIntervalDay(1) <= now()), 0), " +
        'if(toInt64(expires_at) = 0, 0, expires_at <= now()))',
      description:
        "past the table’s TTL (d + toIntervalDay(1) WHERE (x > 5) AND (y != ' TTL \\' SETTINGS , '), expires_at)",
      dependsOnTime: false,
    });
  });

  it.each([
    'MergeTree ORDER BY x SETTINGS index_granularity = 8192',
    "MergeTree ORDER BY x SETTINGS storage_policy = 'a TTL b'",
    'MergeTree ORDER BY ttl',
    `MergeTree ORDER BY x TTL d + toIntervalDay(1) RECOMPRESS CODEC(ZSTD(3)), d + toIntervalDay(2) TO VOLUME 'cold'${SETTINGS}`,
    'MergeTree ORDER BY x TTL d + toIntervalDay(1) GROUP BY x SET y = max(y)',
    '',
  ])('finds no TTL that deletes rows in %j', (engine) => {
    expect(parseTtl(engine)).toBeUndefined();
  });
});
