import {
  REDIRECT_COLUMNS,
  type RedirectEvent,
  type RedirectsParameters,
} from '../../support/models/get-grouped-stats-redirects.js';
import { microsOf } from '../../support/models/time.js';

export const MOMENT = microsOf('2096-02-29T00:00:00Z');

/** Texts of utm_params that differ in little. */
const LINES = [
  '{"s":"newsletter","b":true,"i":42,"n":null,"a":["newsletter"],"o":{"s":"newsletter"}}',
  '{"s":"","b":false,"i":-0,"":"empty key"}',
  '{"s":"42","b":"true","i":"42"}',
  '{"s":"null","n":"null","a":"[1]","o":"{}"}',
  '{"s":"Newsletter","i":1e3}',
  '{"s":"it\'s \\"q\\" \\\\ \\t \\n é \\u00e9 \\ud83d\\ude00","i":1.50}',
  '{"s": "newsletter" , "i" : 18446744073709551615 }',
  '{"\\u0073":"newsletter","i":9007199254740993,"é\\n":"key"}',
  '{"S":"newsletter","i":1E5}',
  ...['["newsletter"]', '"newsletter"', '{"s":"newsletter"', '{"s":"newsletter"} x', 'newsletter'],
  ...['null', '', null, '{}'],
  '{"0":"zero","s.t":"dotted","-1":"minus one"}',
  // ClickHouse's JSON functions cannot read these.
  '{"s":"found?","x":18446744073709551616}',
  '{"s":"found?","x":1e400}',
  '{"s":"found?","x":"\\ud83d"}',
];
const UTM_VALUES: Readonly<Record<string, readonly string[]>> = {
  s: ['newsletter', '"newsletter"', 'Newsletter', '', '42', 'null', 'it\'s "q" \\ \t \n é é 😀', 'found?'],
  b: ['true', 'TRUE', 'false', '1'],
  i: ['42', '42.0', '0', '-0', '1000', '1e3', '1.5', '18446744073709551615', '9007199254740993', '100000'],
  n: ['null', ''],
  a: ['["newsletter"]', '[1]'],
  ...{ o: ['{"s":"newsletter"}'], S: ['newsletter'], '': ['empty key'], 'é\n': ['key'], 0: ['zero'] },
  ...{ '-1': ['minus one'], 's.t': ['dotted'], zzz: [''] },
};
const VALUES = ['a', 'A', '', null, '%', '\\', '\\N'];
const blank = {
  ...{ timestamp: MOMENT, event_type: 'url_redirect', event_name: null, country: null, device: null },
  ...{ language: null, referrer: null, utm_params: null },
};
/** Records with these texts, and with such values in the other columns. */
export const CLOSE_RECORDS: readonly RedirectEvent[] = [
  ...LINES.map((utm_params) => ({ ...blank, utm_params })),
  ...REDIRECT_COLUMNS.flatMap((name) =>
    VALUES.map((value) => ({ ...blank, utm_params: name, [name]: value })),
  ),
  ...['view', 'URL_REDIRECT', 'url_redirect ', 'unique_url_redirect', ''].map((event_type) => ({
    ...blank,
    event_type,
  })),
];
/** Calls whose values differ as little. */
export const CLOSE_CALLS: readonly RedirectsParameters[] = [
  ...Object.entries(UTM_VALUES).flatMap(([utm_key, values]) =>
    values.map((utm_value) => ({ utm_key, utm_value })),
  ),
  ...REDIRECT_COLUMNS.flatMap((name) =>
    VALUES.flatMap((value) => (value === null ? [] : [{ [name]: value }])),
  ),
  ...[{ utm_key: 's' }, { utm_key: '' }, { utm_value: 'newsletter' }],
];
