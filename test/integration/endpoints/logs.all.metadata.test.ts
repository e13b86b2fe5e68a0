import { clockAt, microsOf } from '../../support/models/time.js';
import { openEndpoint } from './endpoint-under-test.js';
import { openForAll } from '../../support/opened.js';

const TABLE = 'edge_logs';

const endpoint = openForAll(() => openEndpoint('logs.all', clockAt(microsOf('2096-03-01T00:00:30.500Z'))));

let projects = 0;
/** Returns a project without rows of other tests. */
const newProject = (): string => `p${(projects += 1)}`;

/** Inserts a line with this metadata, and returns the metadata in the text of the result. */
async function fetchMetadata(metadata: string): Promise<string> {
  const project = newProject();
  await endpoint.insertLines(
    TABLE,
    `{"project":"${project}","timestamp":"2096-03-01","metadata":${metadata}}`,
  );
  const { text } = await endpoint.run({ project });
  return text.replace(/^.*?"metadata":/s, '').replace(/\}\]\}$/, '');
}

describe('metadata', () => {
  it.concurrent.each([
    ['no members', '{}'],
    ['nulls', '{"a":null,"b":{"c":null},"d":[null]}'],
    ['nesting, empty objects and arrays', '{"a":{},"b":[],"c":[{},[],[[]]],"d":{"e":{"f":{}}}}'],
    ['booleans and the empty text', '{"t":true,"f":false,"e":""}'],
    [
      'an empty key and keys that look like columns',
      '{"":1,"id":2,"timestamp":3,"__proto__":4,"${x}":5,"@p":6}',
    ],
    ['unicode', '{"é":"Ж","日本":"😀","escaped":"\\u00e9\\ud83d\\ude00","zero":"\\u0000"}'],
    ['escapes', '{"s":"\\" \\\\ \\/ \\b \\f \\n \\r \\t {} [] , :"}'],
    ['numbers as they are written', '{"a":1.0,"b":1.50,"c":1e3,"d":-0,"e":0.1,"f":1E-7,"g":-12.5e+3}'],
    ['integers of 64 bits', '{"a":9007199254740993,"b":18446744073709551615,"c":-9223372036854775808}'],
    [
      'integers beyond 64 bits',
      '{"a":18446744073709551616,"b":[-123456789012345678901234567890],"c":{"d":1e300}}',
    ],
    ['half of a surrogate pair', '{"cut":"…\\ud83d","\\udc00":"\\\\ud800","\\uDFff\\uD800":0}'],
    ['white space', '{ "a" :\t[ 1 , 2 ] }'],
    ['a key twice', '{"a":1,"a":2}'],
  ])('with %s is the object that was sent', async (_what, metadata) => {
    expect(await fetchMetadata(metadata)).toBe(metadata);
    expect(await fetchMetadata(JSON.stringify(metadata))).toBe(metadata);
  });

  it('with the end of a line that programs other than JSON readers know is the object with its escape', async () => {
    expect(await fetchMetadata('{"ls":"\u2028","nel":"\u0085"}')).toBe(
      String.raw`{"ls":"\u2028","nel":"\u0085"}`,
    );
  });

  it.concurrent.each([
    ['sent as an object', '{\n  "a": 1,\r\n  "b": [\n    "x\\ny"\n  ]\n}\n'],
    ['sent as text', JSON.stringify('\n{\n  "a": 1,\r\n  "b": [\n    "x\\ny"\n  ]\n}\n')],
  ])('with several lines, %s, is the object that was sent', async (_how, metadata) => {
    expect(JSON.parse(await fetchMetadata(metadata))).toEqual({ a: 1, b: ['x\ny'] });
  });

  it.concurrent('with several lines does not affect other rows', async () => {
    const project = newProject();
    await endpoint.database.insert(
      TABLE,
      Array.from({ length: 120 }, () => ({
        project,
        timestamp: '2096-03-01',
        metadata: '{\n"a":\n1\n}',
      })),
    );
    expect(await endpoint.run({ project })).toMatchObject({ rowCount: 100, truncated: true });
  });

  it.concurrent.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
  ])('%s is an empty object', async (_what, metadata) => {
    const project = newProject();
    await endpoint.database.insert(TABLE, [{ project, timestamp: '2096-03-01', metadata }]);
    expect(await endpoint.rows({ project })).toMatchObject([{ metadata: {} }]);
  });

  it.concurrent.each([
    '[{"a":1}]',
    '"text"',
    '42',
    'true',
    'null',
    'plain text',
    ' ',
    '\n\n',
    '{"a":1',
    '{"a":1} {"b":2}',
    '{"a":1},"x":{"y":2}',
    '}',
    '{a:1}',
    "{'a':1}",
    '{"a":NaN}',
    '{"a":01}',
    '{"a":012345678901234567890}',
    '{"a":"line\nfeed"}',
    '{"a":"tab\t"}',
    '{"a":"\\x41"}',
    '{"a":"\\ud8"}',
    '\ufeff',
  ])('that is not an object, %j, is wrapped in an object', async (metadata) => {
    expect(JSON.parse(await fetchMetadata(JSON.stringify(metadata)))).toEqual({ raw: metadata });
  });

  it.concurrent('with a byte order mark is the object after the mark', async () => {
    expect(await fetchMetadata(JSON.stringify('\ufeff{"a":1}'))).toBe('{"a":1}');
  });

  it.concurrent.each([
    ['nested deeper than ClickHouse parses', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`],
    ['a number beyond a double', '{"a":1e400}'],
  ])('%s never breaks the result', async (_what, metadata) => {
    expect(JSON.parse(await fetchMetadata(JSON.stringify(metadata)))).toEqual({ raw: metadata });
  });
});
