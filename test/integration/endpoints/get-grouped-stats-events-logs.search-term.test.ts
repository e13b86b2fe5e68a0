import { clockAt, microsOf } from '../../support/models/time.js';
import { openEndpoint, type EndpointUnderTest } from './endpoint-under-test.js';

const TABLE = 'custom_events';

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('get-grouped-stats-events-logs', clockAt(microsOf('2096-03-01T12:00:00Z')));
});
afterAll(() => endpoint.close());

/** Returns the messages that a search matches. */
async function search(messages: readonly string[], search_term: string): Promise<readonly string[]> {
  await endpoint.fill(
    TABLE,
    messages.map((event_message, index) => ({
      timestamp: '2096-02-29',
      event_message,
      event_id: String(index).padStart(3, '0'),
    })),
  );
  const rows = await endpoint.rows({ search_term });
  return rows.map((row) => messages[Number(row['event_id'])] ?? '');
}

describe('search_term', () => {
  it('matches a text at the start, in the middle and at the end of a message', async () => {
    const messages = ['needle', 'needle hay', 'hay needle hay', 'hay needle', 'need le', 'hay', ''];
    expect(await search(messages, 'needle')).toEqual(messages.slice(0, 4));
  });

  it.each([
    ['É', ['CAFÉ', 'café'], ['cafe', 'CAFE']],
    ['é', ['CAFÉ', 'café'], ['cafe']],
    ['ж', ['ЖУК', 'жук'], ['ЗУК']],
    ['Ж', ['ЖУК', 'жук'], ['зук']],
    ['ς', ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'σ'], ['Ζ']],
    ['Σ', ['οδυσσευς', 'ς'], ['ζ']],
    ['οδος', ['ΟΔΟΣ', 'οδος', 'Οδοσ'], ['οδο ς']],
    ['STRASSE', ['Straße', 'STRAẞE', 'strasse'], ['Strase']],
    ['ԱԲԳ', ['աբգ'], ['աբդ']],
    ['ა', ['Ა', 'ა'], ['ბ']],
    ['𐐨', ['𐐀', '𐐨'], ['𐐁']],
    ['ｇ', ['Ｇ', 'ｇ'], ['g']],
    ['日本', ['日本語'], ['日 本']],
    ['\u212a', ['k', 'K', '\u212a'], ['x']],
    ['ſ', ['S', 's', 'ſ', 'é s'], ['f']],
    ['ﬁ', ['FI', 'fi', 'ﬁ'], ['f i']],
    ['بحث', ['البحث'], ['ب ح ث']],
  ])('%j matches texts of its script in either case', async (term, matching, others) => {
    expect(await search([...matching, ...others], term)).toEqual(matching);
  });

  it.each([
    ['%', ['100%', '%'], ['100', '']],
    ['_', ['a_b', '_'], ['a b', 'axb']],
    ['a%b', ['A%B'], ['a--b', 'ab']],
    ['a_b', ['A_B'], ['axb']],
    ['\\', ['C:\\', '\\'], ['/', '']],
    ['\\%', ['\\%'], ['%', '\\']],
    ['\\n', ['\\N', 'a\\nb'], ['\n', 'n']],
    ['\n', ['a\nb'], ['a\\nb', 'n', 'a b']],
    ['\t', ['a\tb'], ['a\\tb', 't', 'a b']],
    ['\r\n', ['a\r\nb'], ['\n', '\n\r']],
    ["'", ["it's"], ['its', '"', '’']],
    ['"', ['say "x"'], ["'"]],
    ["') OR 1=1 --", ["x') or 1=1 --"], ['x', '']],
    ['.*', ['a.*b'], ['ab', '']],
    ['[a]', ['[A]'], ['a']],
    ['{term:String}', ['{Term:String}'], ['term']],
    ['@project', ['@PROJECT'], ['project']],
    ['😀', ['hi 😀!'], ['hi 😁', '']],
    ['👩‍👩‍👧', ['a 👩‍👩‍👧 b'], ['👩', '👧']],
    [' ', ['a b', ' '], ['ab', '\u00a0']],
    ['null', ['NULL', 'nullable'], ['', '\\N']],
    ['\u0001', ['\u0001'], ['1', '']],
    ['bc', ['A\u0000BC', 'é\u0000Bc'], ['B\u0000C']],
  ])('%j is matched literally', async (term, matching, others) => {
    expect(await search([...matching, ...others], term)).toEqual(matching);
  });

  it('matches every message if it is empty, the empty message too', async () => {
    expect(await search(['', 'a'], '')).toEqual(['', 'a']);
  });

  it('combines with the other filters', async () => {
    await endpoint.fill(TABLE, [
      { timestamp: '2096-02-29', event_message: 'Hit', level: 'info', event_id: 'a' },
      { timestamp: '2096-02-29', event_message: 'hit', level: 'error', event_id: 'b' },
      { timestamp: '2096-02-29', event_message: 'miss', level: 'info', event_id: 'c' },
    ]);
    const rows = await endpoint.rows({ search_term: 'HIT', level: 'info' });
    expect(rows.map((row) => row['event_id'])).toEqual(['a']);
  });
});

describe('invalid UTF-8', () => {
  beforeAll(async () => {
    await endpoint.fill(TABLE, []);
    await endpoint.database.client.command({
      query: `
        INSERT INTO ${TABLE} (timestamp, event_message, event_id, event_name, city, event_type, utm_params)
        SELECT '2096-02-29', unhex('C3284AFF'), unhex('61FF'), unhex('C3'), unhex('F09F98'), unhex('80'), unhex('FE')`,
    });
  });

  it('in any column still yields a body of valid UTF-8', async () => {
    expect(await endpoint.rows({})).toMatchObject([{ event_id: 'a\ufffd', event_name: '\ufffd' }]);
  });

  it('in a message does not prevent a search from matching the text around it', async () => {
    expect(await endpoint.rows({ search_term: '(j' })).toHaveLength(1);
    expect(await endpoint.rows({ search_term: '(k' })).toEqual([]);
  });
});
