import fc from 'fast-check';

import { parseError } from '@clickhouse/client';

import {
  errorText,
  sentenceOf,
  statusOf,
  clientCode,
} from '../../../../src/gateway/clickhouse/clickhouse-error-text.js';
import { anyText } from '../../../support/any-text.js';

const UNKNOWN = {
  code: '47',
  message:
    "Unknown expression or function identifier `revenue` in scope WITH part_1 AS (SELECT secret FROM logs) SELECT revenue FROM part_1. Maybe you meant: ['secret']. ",
};

describe('sentenceOf', () => {
  it('adds a name that the client wrote', () => {
    expect(sentenceOf(UNKNOWN, new Set(['SELECT', 'revenue']))).toBe(
      'The statement names an unknown column: revenue',
    );
    expect(sentenceOf(UNKNOWN, new Set(['secret', 'part_1']))).toBe('The statement names an unknown column');
    expect(sentenceOf(UNKNOWN, undefined)).toBe('The statement names an unknown column');
  });

  it('adds a column without its table where only the column is the client’s', () => {
    const message = "Column 'part_1.day' is not under aggregate function and not in GROUP BY keys";
    expect(sentenceOf({ code: '215', message }, new Set(['day']))).toMatch(/ GROUP BY: day$/);
    expect(sentenceOf({ code: '215', message }, new Set(['part_1.day']))).toMatch(/: part_1\.day$/);
    expect(sentenceOf({ code: '215', message }, new Set(['part_1']))).toMatch(/ GROUP BY$/);
  });

  it('has nothing of a message but one of the client’s words', () => {
    const code = fc
      .oneof(fc.integer({ min: 0, max: 1100 }), fc.constantFrom(42, 43, 46, 47, 60, 62, 215))
      .map(String);
    const quoted = anyText({ maxLength: 12 });
    const message = fc
      .tuple(
        fc.constantFrom(
          'Unknown expression identifier `',
          "Column '",
          'Syntax error: failed at position 3 (',
          'arguments of function ',
          'Unknown format ',
        ),
        quoted,
        fc.constantFrom('`', "'", ')', ' '),
        quoted,
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(code, message, fc.array(quoted), (each, text, list) => {
        const words = new Set(list);
        const fixed = sentenceOf({ code: each, message: '' }, undefined);
        const said = sentenceOf({ code: each, message: text }, words);
        expect(sentenceOf({ code: each, message: text }, undefined)).toBe(fixed);
        expect(said === fixed || words.has(said.slice(fixed.length + 2))).toBe(true);
      }),
    );
  });

  it('has one sentence for all errors that are not the client’s', () => {
    for (const code of ['0', '236', '999', '1001']) {
      expect([code, clientCode(code), statusOf(code)]).toEqual([code, '1002', 500]);
      expect(sentenceOf({ code, message: 'an internal text' }, new Set(['internal']))).toBe(
        'ClickHouse could not run this statement',
      );
    }
  });
});

describe('errorText', () => {
  it('is what clients of ClickHouse read', () => {
    const text = errorText('396', 'The result is larger than one may be', '26.7.2.1 (official build)');
    expect(text).toBe(
      'Code: 396. DB::Exception: The result is larger than one may be. (TOO_MANY_ROWS_OR_BYTES) (version 26.7.2.1 (official build))',
    );
    expect(parseError(text)).toMatchObject({ code: '396', type: 'TOO_MANY_ROWS_OR_BYTES' });
  });

  it('names no version before ClickHouse has responded', () => {
    const text = errorText('279', 'ClickHouse does not respond', '');
    expect(text).toBe('Code: 279. DB::Exception: ClickHouse does not respond. (ALL_CONNECTION_TRIES_FAILED)');
    expect(parseError(text)).toMatchObject({ code: '279', type: 'ALL_CONNECTION_TRIES_FAILED' });
  });
});
