import { LineSplitter } from '../../../../src/commands/loading/line-splitter.js';
import { readBatches, type Batch, type BatchLimits } from '../../../../src/commands/loading/read-batches.js';
import { chunks, drain } from './streams.js';

const read = (limits: BatchLimits, ...parts: (string | Error)[]): AsyncGenerator<Batch> =>
  readBatches(chunks(...parts), new LineSplitter(), (text) => (text === 'bad' ? 'bad' : undefined), limits);
const shape = (batch: Batch): unknown => [
  batch.rows.map((row) => row.line),
  batch.rejected.map(({ line }) => line),
  batch.lastLine,
];

describe('readBatches', () => {
  it('ends a batch at the maximum number of lines, rejected ones included', async () => {
    const { items } = await drain(read({ lines: 2, bytes: 100 }, 'a\nbad\n', '\nb\nc', '\nd'));
    expect(items.map(shape)).toEqual([
      [[1], [2], 2],
      [[4, 5], [], 5],
      [[6], [], 6],
    ]);
  });

  it('ends a batch with the line that reaches the maximum length', async () => {
    const { items } = await drain(read({ lines: 100, bytes: 4 }, 'éé\nab\nabc\nx\n'));
    expect(items.map((batch) => batch.lastLine)).toEqual([1, 3, 4]);
  });

  it('yields nothing without lines', async () => {
    expect(await drain(read({ lines: 2, bytes: 4 }, '', '\n \n'))).toEqual({ items: [], error: undefined });
  });

  it('yields the complete lines before an error, then throws the error', async () => {
    const failure = new Error('cut');
    const { items, error } = await drain(read({ lines: 2, bytes: 100 }, 'a\nb\nc\nd', failure));
    expect(items.map(shape)).toEqual([
      [[1, 2], [], 2],
      [[3], [], 3],
    ]);
    expect(error).toBe(failure);
  });
});
