import { isChosenBy } from '../../../../src/commands/endpoint-tests/find-tests.js';
import type { TestFile } from '../../../../src/commands/endpoint-tests/test-file.js';

describe('a filter', () => {
  const calls = [{ name: 'rows in any order' }, { endpoint: 'visits@2' }, { parameters: { city: 'Rome' } }];
  const test = { file: 'tests/a.yaml', endpoint: 'visits', calls } as unknown as TestFile;

  it.each([
    [undefined, [true, true, true]],
    ['a.yaml', [true, true, true]],
    ['visits', [true, true, true]],
    ['visits@2', [false, true, false]],
    ['any order', [true, false, false]],
    ['city=Rome', [false, false, true]],
    ['nothing of this name', [false, false, false]],
  ])('chooses the calls of a file, an endpoint or a name that has it: %s', (filter, expected) => {
    expect(test.calls.map(isChosenBy(filter, test))).toEqual(expected);
  });
});
