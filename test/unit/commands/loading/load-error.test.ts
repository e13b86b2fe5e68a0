import { ClickHouseError } from '@clickhouse/client';

import {
  BatchFailure,
  describeFailure,
  firstPart,
  InputFailure,
} from '../../../../src/commands/loading/load-error.js';
import { Tally } from '../../../../src/commands/loading/tally.js';
import { toLoadError } from '../../../../src/commands/loading/to-load-error.js';
import { tableOf } from './table-of.js';

const hangUp = new Error('socket hang up');

function tallyAfter(rows: number, lastLine: number): Tally {
  const tally = new Tally(tableOf({}));
  tally.add({
    rows: Array.from({ length: rows }, (_, index) => ({
      line: index + 1,
      text: '{}',
      micros: undefined,
      isExpired: false,
    })),
    rejected: [],
    unknownFields: new Map(),
    lastLine,
  });
  return tally;
}

describe('firstPart', () => {
  it.each([
    [
      "Cannot parse input: expected '\"' before: 'OK\"}': (while reading the value of key c): (at row 1)\n: While executing X.",
      "Cannot parse input: expected '\"'",
    ],
    [
      'Duplicate field found while parsing JSONEachRow format: project: (at row 1)\n: While executing X. ',
      'Duplicate field found while parsing JSONEachRow format: project',
    ],
    [
      "JSON is too deep for key 'u': While executing JSONEachRowRowInputFormat. ",
      "JSON is too deep for key 'u'",
    ],
    [
      "Cannot parse IPv4 q: Cannot parse IPv4 from String: while executing 'FUNCTION toIPv4(text : 2)'",
      'Cannot parse IPv4 q: Cannot parse IPv4 from String',
    ],
    ['missing second part of surrogate pair. In JSON input', 'missing second part of surrogate pair'],
  ])('extracts the useful part of %j', (message, part) => {
    expect(firstPart(message)).toBe(part);
  });
});

describe('describeFailure', () => {
  it('returns ClickHouse’s error type and the start of its message', () => {
    const error = new ClickHouseError({
      message: 'Not enough privileges. You need INSERT. \n: more',
      code: '497',
      type: 'ACCESS_DENIED',
    });
    expect(describeFailure(error)).toBe(
      'ClickHouse returned ACCESS_DENIED: Not enough privileges. You need INSERT',
    );
  });

  it('adds the remedy when the database does not exist', () => {
    const error = new ClickHouseError({
      message: 'Database logs does not exist. ',
      code: '81',
      type: 'UNKNOWN_DATABASE',
    });
    expect(describeFailure(error)).toBe(
      'ClickHouse returned UNKNOWN_DATABASE: Database logs does not exist. ' +
        'Run querygate migrate first, or correct CLICKHOUSE_DATABASE',
    );
  });

  it('returns the code of an error without a message', () => {
    const error = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(describeFailure(error)).toBe('ClickHouse is unreachable or closed the connection (ECONNREFUSED)');
  });
});

describe('toLoadError', () => {
  it('states how many lines were loaded, where to resume, and which rows may already be written', () => {
    expect(toLoadError(new BatchFailure(30, true, hangUp), 'file', tallyAfter(9, 10))).toMatchObject({
      message:
        'ClickHouse is unreachable or closed the connection (socket hang up). 9 lines were loaded; resume from line 11. ' +
        'Rows of lines 11 to 30 may already have been written.',
      resumeFromLine: 11,
      report: { loaded: 9 },
    });
  });

  it('omits the lines that may already be written when none can be', () => {
    expect(toLoadError(new BatchFailure(30, false, hangUp), 'file', tallyAfter(0, 0))).toMatchObject({
      message:
        'ClickHouse is unreachable or closed the connection (socket hang up). Nothing was loaded; resume from line 1.',
      resumeFromLine: 1,
    });
  });

  it('names the damaged source and the last line before the damage', () => {
    expect(
      toLoadError(new InputFailure('the gzip data ends too early'), '-', tallyAfter(9, 10)),
    ).toMatchObject({
      message: 'standard input: the gzip data ends too early, after line 10. 9 lines were loaded.',
    });
  });

  it('returns any other error unchanged', () => {
    expect(toLoadError(hangUp, 'file', tallyAfter(0, 0))).toBe(hangUp);
  });
});
