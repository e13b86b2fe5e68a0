import { runCli } from '../support/run-cli.js';
import { runNode } from '../support/run-node.js';
import { OFFLINE_NPM } from '../support/offline-npm.js';
import { ROOT } from '../support/documentation.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { runTutorial } from '../support/tutorial.mjs';

const TSC = `${ROOT}/node_modules/typescript/bin/tsc`;

describe('docs/tutorial.md', () => {
  it('has commands with the outputs that it shows, from the packed tarball, and files that an editor accepts', async () => {
    await withTemporaryFolder(async (home) => {
      const folder = await runTutorial({ home, prologue: OFFLINE_NPM });
      // As its last section says.
      expect(await runCli(['new', 'orders.by-week', '--ts', '--project', folder])).toMatchObject({ code: 0 });
      const checked = await runNode([TSC, '--project', folder, '--skipLibCheck', 'false']);
      expect(checked).toEqual({ code: 0, output: '' });
    });
  });
});
