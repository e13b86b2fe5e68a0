import { ClickHouseError } from '@clickhouse/client';

import {
  BatchFailure,
  describeFailure,
  firstPart,
  InputFailure,
} from '../../../../src/clickhouse/loading/load-error.js';
import { toLoadError } from '../../../../src/clickhouse/loading/load-failure.js';
import { Tally } from '../../../../src/clickhouse/loading/tally.js';

const NOW = new Date('2026-05-17T10:05:03.000Z');
const hangUp = new Error('socket hang up');

function tallyAfter(rows: number, lastLine: number): Tally {
  const tally = new Tally(NOW);
  tally.add({
    rows: Array.from({ length: rows }, (_, index) => ({ line: index + 1, text: '{}', micros: 0n })),
    rejected: [],
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
    ['missing second part of surrogate pair. In JSON input', 'missing second part of surrogate pair'],
  ])('keeps the useful part of %j', (message, part) => {
    expect(firstPart(message)).toBe(part);
  });
});

describe('describeFailure', () => {
  it('gives ClickHouse’s type of error and the beginning of its message', () => {
    const error = new ClickHouseError({
      message: 'Not enough privileges. You need INSERT. \n: more',
      code: '497',
      type: 'ACCESS_DENIED',
    });
    expect(describeFailure(error)).toBe(
      'ClickHouse answered ACCESS_DENIED: Not enough privileges. You need INSERT',
    );
  });

  it('gives the code of an error without a message', () => {
    const error = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(describeFailure(error)).toBe('ClickHouse can’t be reached or went away (ECONNREFUSED)');
  });
});

describe('toLoadError', () => {
  it('says how many lines were loaded, where to go on, and which may be there already', () => {
    expect(toLoadError(new BatchFailure(30, true, hangUp), 'file', tallyAfter(9, 10))).toMatchObject({
      message:
        'ClickHouse can’t be reached or went away (socket hang up). 9 lines were loaded; go on from line 11. ' +
        'Rows of the lines 11 to 30 may have been written already.',
      resumeFromLine: 11,
      report: { loaded: 9 },
    });
  });

  it('leaves the doubt out where nothing can have arrived', () => {
    expect(toLoadError(new BatchFailure(30, false, hangUp), 'file', tallyAfter(0, 0))).toMatchObject({
      message:
        'ClickHouse can’t be reached or went away (socket hang up). Nothing was loaded; go on from line 1.',
      resumeFromLine: 1,
    });
  });

  it('names the source that can’t be read further, and the last line before that', () => {
    expect(
      toLoadError(new InputFailure('the gzip data ends too early'), '-', tallyAfter(9, 10)),
    ).toMatchObject({
      message: 'standard input: the gzip data ends too early, after line 10. 9 lines were loaded.',
    });
  });

  it('hands any other error back as it is', () => {
    expect(toLoadError(hangUp, 'file', tallyAfter(0, 0))).toBe(hangUp);
  });
});
