import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Endpoint } from '../endpoint/endpoint.js';
import { loadEndpoints } from '../endpoint/load-endpoints.js';
import { ENDPOINTS_FOLDER } from '../project-files.js';
import { fuzz } from '../soak/fuzz.js';
import { lineOf, MAX_P99_MS, runAttacks } from '../soak/run-attacks.js';
import { reportOf } from '../soak/report.js';
import { soak } from '../soak/soak.js';
import { openStand, type Stand } from '../soak/stand.js';

const GATEWAY = fileURLToPath(new URL('../main.js', import.meta.url));

export interface SoakOptions {
  readonly minutes: string;
  readonly fuzz?: true | string;
  readonly attack?: true | string;
}

/** Loads a gateway while its ClickHouse fails, or sends it anything at all. */
export async function runSoak(options: SoakOptions): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-soak-'));
  try {
    const environment = options.fuzz === undefined ? {} : await everythingOn(folder);
    const stand = await openStand({ folder, gatewayModule: GATEWAY, environment });
    try {
      if (options.attack !== undefined) await attackFor(stand, options.attack);
      else if (options.fuzz !== undefined) await fuzzFor(stand, options.fuzz);
      else await soakFor(stand, Number(options.minutes));
    } finally {
      await stand.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function soakFor(stand: Stand, minutes: number): Promise<void> {
  const result = await soak(stand, minutes, print);
  print(`\n${reportOf(result)}`);
  if (result.tally.faults.length > 0) process.exitCode = 1;
}

async function attackFor(stand: Stand, given: true | string): Promise<void> {
  const figures = await runAttacks(stand, given === true ? 60 : Number(given), (each) => {
    print(lineOf(each));
  });
  const slow = figures.filter(({ p99 }) => p99 >= MAX_P99_MS);
  print(`attacks during which p99 of cache hits was ${MAX_P99_MS} ms or more: ${slow.length}`);
  if (slow.length > 0) process.exitCode = 1;
}

async function fuzzFor({ gateway, keys }: Stand, given: true | string): Promise<void> {
  const seconds = given === true ? 60 : Number(given);
  const endpoints = await servedEndpoints();
  const good = [keys.dashboard, keys.beside];
  const { requests, statuses, faults } = await fuzz(gateway.url, { keys: good, endpoints, seconds });
  const counts = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
  print(`${requests} requests in ${seconds} s: ${counts.join(', ')}; ${faults.length} faults`);
  for (const fault of faults.slice(0, 20)) print(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

/** The stand keeps no log of requests, and so has no endpoint for it. */
async function servedEndpoints(): Promise<readonly Endpoint[]> {
  return (await loadEndpoints(ENDPOINTS_FOLDER)).without('gateway.requests').all();
}

/** All that callers can reach is on. */
async function everythingOn(folder: string): Promise<Readonly<Record<string, string>>> {
  const file = path.join(folder, 'settings.json');
  const names = (await servedEndpoints()).map(({ name }) => name);
  await writeFile(
    file,
    JSON.stringify(Object.fromEntries(names.map((name) => [name, { sandboxing: 'enabled' }]))),
  );
  return {
    ENDPOINT_SETTINGS_FILE: file,
    LINK_SECRET: 'a secret for links that nobody signs',
    JWT_SECRET: 'a secret for tokens that nobody makes',
    JWT_ISSUER: 'https://nobody.example',
    TRUST_PROXY: 'loopback',
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
