import { FORMATS as IN_CONSOLE } from '../../../console/src/model/formats.js';
import { FORMAT_NAMES } from '../../../src/formats/formats.js';

it('lists in the console every output format that the gateway has', () => {
  expect(IN_CONSOLE.map(({ name }) => name).toSorted()).toEqual(FORMAT_NAMES.toSorted());
});
