import { FORMATS as IN_CONSOLE } from '../../../../console/src/model/formats.js';
import { FORMAT_NAMES } from '../../../../src/gateway/formats/formats.js';

it('the console lists every output format of the gateway', () => {
  expect(IN_CONSOLE.map(({ name }) => name).toSorted()).toEqual(FORMAT_NAMES.toSorted());
});
