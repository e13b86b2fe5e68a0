import { LosslessNumber } from 'lossless-json';

import { fromFragment, toFragment } from '../../../console/src/model/address.js';
import {
  bytes,
  cellText,
  compact,
  duration,
  milliseconds,
  number,
} from '../../../console/src/model/display.js';
import { designedLimit, isIdentifier, mostRows, type Row } from '../../../console/src/model/endpoint.js';
import { addExact, digitGroups } from '../../../console/src/model/exact-number.js';
import { FAILED, quantile, readSamples, sum } from '../../../console/src/model/metrics.js';
import { nextOrder, sortRows } from '../../../console/src/model/sort-rows.js';
import { tokensOf } from '../../../console/src/model/sql-tokens.js';
import { rowCap, withSettings } from '../../../src/endpoint/endpoint.js';
import { EXPECTED_BY_CALLER, ERRORS } from '../../../src/gateway/errors.js';
import { referenceEndpoints } from '../../support/reference-project.js';

describe('an address', () => {
  it.each([
    [{ endpoint: '' }],
    [{ endpoint: 'logs.all' }],
    [{ endpoint: 'logs.all', values: {} }],
    [{ endpoint: 'logs.all', view: { as: 'bars' } }],
    [{ endpoint: 'logs.all', values: { a: '' }, page: { number: 2, cursor: 'v1.a=b;c+/==' } }],
    [{ endpoint: 'a;b=c', view: { of: 'x;y=1,z?', by: 'é' }, values: { a: ';=' } }],
    [{ endpoint: 'a/b ?#é', values: { project: 'a&b=c #+%', empty: '', ü: 'line\nbreak' } }],
  ])('survives writing and reading: %j', (address) => {
    expect(fromFragment(toFragment(address))).toEqual(address);
  });

  it.each(['', '#', '#top', '#/%E0%A4'])(
    'is the endpoint list when the fragment is invalid: %j',
    (fragment) => {
      expect(fromFragment(fragment)).toEqual({ endpoint: '' });
    },
  );
});

describe('the order of rows', () => {
  const rows: readonly Row[] = [{ n: 10 }, { n: null }, { n: 9 }];

  it('sorts by value, with nulls first when ascending', () => {
    expect(sortRows([], rows, { column: 'n', direction: 'ascending' }).map(({ n }) => n)).toEqual([
      null,
      9,
      10,
    ]);
    expect(sortRows([], rows, { column: 'n', direction: 'descending' }).map(({ n }) => n)).toEqual([
      10,
      9,
      null,
    ]);
  });

  it('sorts numbers by all of their digits', () => {
    const sorted = ['-0.00000000000000000002', '-0.00000000000000000001', '1e-9', '9007199254740992'];
    sorted.push('9007199254740993', '1e300');
    const exact = sorted.toReversed().map((text) => ({ n: new LosslessNumber(text) }));
    expect(sortRows([], exact, { column: 'n', direction: 'ascending' }).map(({ n }) => cellText(n))).toEqual(
      sorted,
    );
  });

  it('cycles through ascending, descending and the gateway’s order', () => {
    const first = nextOrder(undefined, 'n');
    const second = nextOrder(first, 'n');
    expect([first?.direction, second?.direction, nextOrder(second, 'n')]).toEqual([
      'ascending',
      'descending',
      undefined,
    ]);
  });
});

describe('highlighting', () => {
  it('splits SQL into tokens without losing text', () => {
    const sql = "SELECT 'it''s @no' AS a -- @no\nFROM t WHERE p = @project AND n >= 10";
    const tokens = tokensOf(sql);
    expect(tokens.map(({ text }) => text).join('')).toBe(sql);
    expect(tokens.filter(({ kind }) => kind === 'parameter').map(({ text }) => text)).toEqual(['@project']);
    expect(tokens.find(({ kind }) => kind === 'string')?.text).toBe("'it''s @no'");
  });
});

describe('quantities', () => {
  it('are formatted in a fitting unit', () => {
    expect([900, 86_400, 1000, 0].map(duration)).toEqual(['15 min', '1 d', '1000 s', '0 s']);
    expect([0.42, 12.34, 1234, 12_345].map(milliseconds)).toEqual(['0.4 ms', '12.3 ms', '1234 ms', '12.3 s']);
    expect([0, 1023, 1536, 5 * 1024 ** 3].map(bytes)).toEqual(['0 B', '1023 B', '1.5 KiB', '5 GiB']);
  });
});

describe('numbers of the page', () => {
  it('have groups of digits from ten thousand on, and the first digits of small ones', () => {
    expect([1234, 12_345, 0.1 + 0.2, 0.000_123_4, 1234.5678].map(number)).toEqual([
      ...['1234', '12\u202F345', '0.3', '0.000123', '1234.568'],
    ]);
  });

  it('are short at an axis, at every magnitude', () => {
    expect([0, -0, 0.05, 1500, 20e6, 12.5e9, 1e15, 3e-9, -1e300].map(compact)).toEqual([
      ...['0', '0', '0.05', '1.5K', '20M', '12.5B', '1e15', '3e-9', '-1e300'],
    ]);
  });
});

describe('numbers of a result', () => {
  it('have groups of digits from ten thousand on, which together are the number', () => {
    expect(
      ['9999', '-1234567', '12345.678901', '18446744073709551615', '1e300', '0.00012'].map(digitGroups),
    ).toEqual([
      ['9999'],
      ['-1', '234', '567'],
      ['12', '345.678901'],
      ['18', '446', '744', '073', '709', '551', '615'],
      ['1e300'],
      ['0.00012'],
    ]);
  });

  it('are added without loss', () => {
    expect(addExact('9007199254740993', '2')).toBe('9007199254740995');
    expect(addExact('0.1', '0.2')).toBe('0.3');
    expect(addExact('-1.05', '0.05')).toBe('-1');
    expect(addExact('0.5', '-0.75')).toBe('-0.25');
    expect(addExact('1e300', '1e300')).toBe('2e+300');
  });

  it('name something in columns of ids, years, ports, codes and the like', () => {
    const names = ['id', 'request_id', 'userId', 'year', 'dst_port', 'http.status', 'error_code'];
    expect(names.filter((name) => !isIdentifier(name))).toEqual([]);
    expect(['paid', 'visits', 'width', 'support', 'ids_count'].filter(isIdentifier)).toEqual([]);
  });
});

describe('Prometheus’ text', () => {
  const samples = readSamples(
    [
      '# HELP r Requests.',
      'r{status="200",cache="HIT"} 3',
      'r{status="404",cache=""} 2',
      's_bucket{le="0.1",endpoint="a"} 5',
      's_bucket{le="1",endpoint="a"} 10',
      's_bucket{le="+Inf",endpoint="a"} 10',
      'plain 7',
    ].join('\n'),
  );

  it('is added up by labels', () => {
    expect([sum(samples, 'r'), sum(samples, 'r', { status: /^4/ }), sum(samples, 'plain')]).toEqual([
      5, 2, 7,
    ]);
  });

  it('yields the quantiles that Prometheus estimates', () => {
    expect(quantile(samples, 's', 'a', 0.5)).toBeCloseTo(0.1);
    expect(quantile(samples, 's', 'a', 0.75)).toBeCloseTo(0.55);
    expect(quantile(samples, 's', 'b', 0.5)).toBeUndefined();
  });
});

describe('mostRows', () => {
  it('returns the row cap of every endpoint', async () => {
    for (const endpoint of (await referenceEndpoints()).all()) {
      for (const maxRows of [10, 1000]) {
        const { limit } = endpoint;
        expect(mostRows({ maxRows, ...(limit !== undefined && { limit }) })).toBe(
          rowCap(withSettings(endpoint, { maxRows })),
        );
      }
    }
  });
});

describe('designedLimit', () => {
  it('returns the limit of the saved query, unless the row cap is lower and cuts results first', () => {
    expect(designedLimit({ maxRows: 1000, limit: 100 })).toBe(100);
    expect(designedLimit({ maxRows: 100, limit: 100 })).toBe(100);
    expect(designedLimit({ maxRows: 20, limit: 100 })).toBeUndefined();
    expect(designedLimit({ maxRows: 1000 })).toBeUndefined();
  });
});

describe('requests that the admin page counts as failed', () => {
  it.each(Object.entries(ERRORS))(
    'include %s where it is a 5xx that its caller did not request',
    (code, { status }) => {
      const labels = { endpoint: 'a', status: String(status), cache: '', code };
      expect(sum([{ name: 'requests', labels, value: 3 }], 'requests', FAILED)).toBe(
        status >= 500 && !EXPECTED_BY_CALLER.has(code) ? 3 : 0,
      );
    },
  );
});
