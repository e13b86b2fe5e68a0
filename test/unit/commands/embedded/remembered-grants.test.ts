import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readRememberedGrants, rememberGrants } from '../../../../src/commands/embedded/remembered-grants.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

describe('readRememberedGrants', () => {
  it('returns what was remembered, and none in a new folder', async () => {
    await withTemporaryFolder(async (folder) => {
      expect(await readRememberedGrants(folder)).toEqual([]);
      await rememberGrants(folder, ['GRANT SELECT ON logs.a']);
      expect(await readRememberedGrants(folder)).toEqual(['GRANT SELECT ON logs.a']);
    });
  });

  it.each(['', '["GRANT', '{}', 'null', '7', '"GRANT"', '["GRANT SELECT ON logs.a", 7]'])(
    'returns none for a file with %j',
    async (text) => {
      await withTemporaryFolder(async (folder) => {
        await writeFile(path.join(folder, 'grants.json'), text);
        expect(await readRememberedGrants(folder)).toEqual([]);
      });
    },
  );
});
