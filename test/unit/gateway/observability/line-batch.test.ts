import fc from 'fast-check';

import { LineBatch } from '../../../../src/gateway/observability/line-batch.js';

describe('LineBatch', () => {
  it('has all lines in their order, however long they are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'grapheme' }),
            fc.nat(40_000).map((length) => 'é'.repeat(length)),
          ),
        ),
        (lines) => {
          const batch = new LineBatch();
          for (const line of lines) batch.append(line);
          expect([batch.count, batch.content.toString()]).toEqual([lines.length, lines.join('')]);
        },
      ),
    );
  });
});
