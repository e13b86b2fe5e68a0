import fc from 'fast-check';

import { Failure } from '../../../../src/gateway/errors.js';
import { cutResult } from '../../../../src/gateway/formats/cut-result.js';
import { anyText } from '../../../support/any-text.js';
import { resultOf } from '../../../support/fake-run-query.js';

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
  it('returns exactly the first rows, and whether there were more', () => {
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

  it('returns the same buffer if it cuts nothing', () => {
    const { body } = resultOf([{ a: 1 }]);
    expect(cutResult(body, 1).body).toBe(body);
  });

  it.each([
    ['an empty body', ''],
    ['a body with only its start', '{"result":['],
    ['a body cut inside a row', '{"result":[{"a":1},\n{"a":'],
    ['a body cut after a row', '{"result":[{"a":1}'],
    ['a body without its last byte', '{"result":[{"a":1}]'],
    ['an HTML page', '<html><body>502 Bad Gateway</body></html>'],
    ['the text of an exception', 'Code: 241. DB::Exception: Memory limit exceeded'],
    ['rows followed by an exception', '{"result":[{"a":1}\nCode: 241. DB::Exception: …'],
    ['an envelope of another format', '{"meta":[],"data":[],"rows":0}'],
    ['bytes after the end', '{"result":[]}\n'],
  ])('rejects %s', (_what, text) => {
    expect(failureOf(Buffer.from(text)).code).toBe('CLICKHOUSE_ANSWER_BROKEN');
  });

  it('does not reveal the body in the error', () => {
    const { message, details } = failureOf(Buffer.from('SELECT secret'));
    expect(JSON.stringify([message, details])).not.toContain('secret');
  });
});
