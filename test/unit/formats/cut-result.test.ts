import fc from 'fast-check';

import { Failure } from '../../../src/errors.js';
import { cutResult } from '../../../src/formats/cut-result.js';
import { anyText } from '../../support/any-text.js';
import { resultOf } from '../../support/fake-run-query.js';

const rowsIn = (body: Buffer): unknown => (JSON.parse(body.toString()) as { result: unknown }).result;

const failureOf = (body: Buffer): Failure => {
  try {
    cutResult(body, 10);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('the body was accepted');
};

describe('cutResult', () => {
  it('gives exactly the first rows, and whether there were more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: anyText(), more: fc.jsonValue() }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (rows, cap) => {
          const cut = cutResult(resultOf(rows).body, cap);
          expect(rowsIn(cut.body)).toEqual(JSON.parse(JSON.stringify(rows.slice(0, cap))));
          expect(cut.rowCount).toBe(Math.min(rows.length, cap));
          expect(cut.rowsReceived).toBe(rows.length);
          expect(cut.truncated).toBe(rows.length > cap);
        },
      ),
    );
  });

  it('hands a body that needs no cut on without copying it', () => {
    const { body } = resultOf([{ a: 1 }]);
    expect(cutResult(body, 1).body).toBe(body);
  });

  it.each([
    ['nothing', ''],
    ['the start alone', '{"result":['],
    ['a body cut in a row', '{"result":[{"a":1},\n{"a":'],
    ['a body cut after a row', '{"result":[{"a":1}'],
    ['a body without its last byte', '{"result":[{"a":1}]'],
    ['an HTML page', '<html><body>502 Bad Gateway</body></html>'],
    ['a text of an exception', 'Code: 241. DB::Exception: Memory limit exceeded'],
    ['rows and an exception after them', '{"result":[{"a":1}\nCode: 241. DB::Exception: …'],
    ['an envelope of another format', '{"meta":[],"data":[],"rows":0}'],
    ['something after the end', '{"result":[]}\n'],
  ])('refuses %s', (_what, text) => {
    expect(failureOf(Buffer.from(text)).code).toBe('CLICKHOUSE_ANSWER_BROKEN');
  });

  it('says nothing of what it was sent', () => {
    const { message, details } = failureOf(Buffer.from('SELECT secret'));
    expect(JSON.stringify([message, details])).not.toContain('secret');
  });
});
