import fc from 'fast-check';

import { JsonSplitter } from '../../../../src/commands/loading/json-splitter.js';
import type { Line, RejectedLine } from '../../../../src/commands/loading/line-splitter.js';

function split(text: string | Buffer, size = 1000, maxBytes?: number): (Line | RejectedLine)[] {
  const bytes = Buffer.from(text);
  const splitter = new JsonSplitter(/^\ufeff?\s*\[/.test(bytes.toString()) ? 'expected' : 'none', maxBytes);
  const found: (Line | RejectedLine)[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...splitter.push(bytes.subarray(at, at + size)));
  return [...found, ...splitter.end()];
}

const outline = (text: string | Buffer, maxBytes?: number): string[] =>
  split(text, 1000, maxBytes).map((one) =>
    'text' in one ? `${one.line}/${one.object} ${one.text}` : `${one.line}/${one.object}! ${one.reason}`,
  );

describe('JsonSplitter', () => {
  it('makes a line of each value of an array, with the line and the number of the object', () => {
    expect(outline('\ufeff[ {"a":1,"b":"x]}\\"\\\\"},\r\n{"a":[{"c":2}]} , 5,"t",\n null]\n')).toEqual([
      '1/1 {"a":1,"b":"x]}\\"\\\\"}',
      '2/2 {"a":[{"c":2}]}',
      '2/3 5',
      '2/4 "t"',
      '3/5 null',
    ]);
    expect(outline('[]')).toEqual([]);
  });

  it('makes a line of each object that has several', () => {
    expect(outline('{\n  "a": 1,\r\n  "b": {\n    "c": "x"\n  }\n}\n{"a":2} {"a":3}\n')).toEqual([
      '1/1 { "a": 1,\r "b": { "c": "x" } }',
      '7/2 {"a":2}',
      '7/3 {"a":3}',
    ]);
  });

  it('rejects what is cut short, too long or no text, by its object, and reads the next one', () => {
    expect(outline('[{"a":1},\n{"a"')).toEqual(['1/1 {"a":1}', '2/2! the object is not closed']);
    expect(outline('[{"a":1},')).toEqual([
      '1/1 {"a":1}',
      '1/undefined! the file ends before the end of its array',
    ]);
    expect(outline('[{"a":1}] 7')).toEqual(['1/1 {"a":1}', '1/2! text follows the end of the array']);
    expect(outline('[{"a":"x\ny"},{"a":2}]')).toEqual([
      '1/1! a text contains a line break that is not escaped',
      '2/2 {"a":2}',
    ]);
    expect(outline('[{"a":"12345"},{"a":2}]', 8)).toEqual(['1/1! longer than 8 bytes', '1/2 {"a":2}']);
    expect(outline(Buffer.from('[{"a":"\xe9"},{"a":2}]', 'latin1'))).toEqual([
      expect.stringMatching(/^1\/1! not valid UTF-8/),
      '1/2 {"a":2}',
    ]);
  });

  it('returns the values of any JSON, however it is written and in chunks of any size', () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 });
    fc.assert(
      fc.property(
        objects,
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (values, indent, size, isArray) => {
          const text = isArray
            ? JSON.stringify(values, null, indent)
            : values.map((value) => JSON.stringify(value, null, indent)).join('\n');
          const found = split(text, size).map((one) => ('text' in one ? one.text : one.reason));
          expect(found.map((line) => JSON.parse(line) as unknown)).toEqual(
            JSON.parse(JSON.stringify(values)),
          );
          expect(found.filter((line) => line.includes('\n'))).toEqual([]);
        },
      ),
    );
  });
});
