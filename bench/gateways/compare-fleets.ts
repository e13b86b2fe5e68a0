import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { printTable } from '../measuring/print.js';
import { loadServer, type Throughput } from '../measuring/throughput.js';
import type { Environment, Stage } from '../stage.js';
import { GatewayFleet } from './gateway-fleet.js';

export interface FleetMeasure {
  readonly stage: Stage;
  /** Seconds of load per round, and number of rounds. */
  readonly seconds: number;
  readonly rounds: number;
  /** Number of gateways of each fleet. */
  readonly sizes: readonly number[];
  readonly environment: Environment;
}

export interface Load {
  readonly name: string;
  readonly target: string;
  readonly apiKey: string;
}

/** Sends each load to a fleet of each size, and prints the table. */
export async function compareFleets(
  { stage, seconds, rounds, sizes, environment }: FleetMeasure,
  connection: ClickHouseConnection,
  loads: readonly Load[],
): Promise<void> {
  const fleets: GatewayFleet[] = [];
  for (const size of sizes) {
    const own = { ...environment, CACHE_KEY_PREFIX: `fleet-${size}:` };
    fleets.push(await GatewayFleet.open(stage, { size, connection, environment: own }));
  }
  const lines: (string | number)[][] = [];
  for (const { name, target, apiKey } of loads) {
    const results = fleets.map((): Throughput[] => []);
    // In turn, so that other activity of the machine slows down all fleets.
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { url }] of fleets.entries()) {
        results[index]?.push(await loadServer(url + target, { 'X-API-KEY': apiKey }, seconds));
      }
    }
    const failures = results.flat().reduce((sum, result) => sum + result.failures, 0);
    lines.push([name, ...results.map(cellOf), failures]);
  }
  printTable(['requests/s (p99)', ...sizes.map(String), 'failures'], lines);
  for (const fleet of fleets) await fleet.stop();
}

function cellOf(results: readonly Throughput[]): string {
  const total = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
  return `${(total / results.length).toFixed(0)} (${Math.max(...results.map(({ p99 }) => p99))} ms)`;
}
