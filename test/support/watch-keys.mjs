/**
 * Watches a keys file, from the build, and writes a line for each reload and rejection.
 *
 * Environment: API_KEYS_FILE.
 */
import { importBuild } from './import-build.mjs';

const { openKeys } = await importBuild('gateway/auth/open-keys.js');

/** @param {string} line */
const write = (line) => process.stdout.write(`${line}\n`);
const events = {
  /** @param {number} keys */
  onReloaded: (keys) => write(`reloaded ${keys}`),
  /** @param {string} reason */
  onRejected: (reason) => write(`rejected ${reason}`),
};
await openKeys({ apiKeysFile: process.env['API_KEYS_FILE'] }, events);
write('open');
setInterval(() => undefined, 1000);
