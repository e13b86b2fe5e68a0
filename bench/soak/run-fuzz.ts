import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { listCounts, print } from '../measuring/print.js';
import type { Stage } from '../stage.js';
import { fuzz } from '../../test/support/fuzz.js';
import { openHarness } from './harness.js';
import { referenceEndpoints } from '../reference-project.js';

/** Sends random requests to a gateway with all features enabled; fails if one causes an internal error. */
export async function runFuzz(stage: Stage, seconds: number): Promise<void> {
  // Without a request log, so that its endpoint does not exist.
  const endpoints = (await referenceEndpoints()).without((name) => name.startsWith('gateway.')).all();
  const settings = path.join(stage.folder, 'settings.json');
  const sandboxed = endpoints.map(({ name }) => [name, { sandboxing: 'enabled' }] as const);
  await writeFile(settings, JSON.stringify(Object.fromEntries(sandboxed)));
  const { gateway, keys } = await openHarness(stage, {
    ENDPOINT_SETTINGS_FILE: settings,
    LINK_SECRET: 'a secret for signed links in the fuzz run',
    JWT_SECRET: 'a secret for tokens in the fuzz run',
    JWT_ISSUER: 'https://nobody.example',
    TRUST_PROXY: 'loopback',
  });
  const validKeys = [keys.dashboard, keys.beside];
  const { requests, statuses, violations } = await fuzz(gateway.url, { keys: validKeys, endpoints, seconds });
  const counts = listCounts(new Map(Object.entries(statuses)));
  print(`${requests} requests in ${seconds} s: ${counts}; ${violations.length} violations`);
  for (const violation of violations.slice(0, 20)) print(`  ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
