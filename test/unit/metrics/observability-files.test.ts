import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Metrics } from '../../../src/metrics/metrics.js';

const FOLDER = fileURLToPath(new URL('../../../observability', import.meta.url));
const ALERTS = path.join(FOLDER, 'prometheus', 'querygate-alerts.yml');

/** Names of all metrics that a gateway has. */
async function knownNames(): Promise<ReadonlySet<string>> {
  const metrics = new Metrics();
  metrics.observe({
    cacheUse: () => [],
    isRedisOpen: () => false,
    isLeader: () => true,
    queries: () => ({ running: 0, waiting: 0, waitingInteractive: 0 }),
    pool: () => ({
      state: 'closed',
      refused: 0,
      cut: 0,
      opened: { unreachable: 0, stalled: 0 },
      servers: [],
    }),
  });
  const all = await metrics.registry.getMetricsAsJSON();
  return new Set(all.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]));
}

describe.each([
  ['the dashboard', path.join(FOLDER, 'grafana', 'dashboards', 'querygate.json')],
  ['the alerts', ALERTS],
])('%s', (_what, file) => {
  it('names metrics that the gateway has, and no others', async () => {
    const known = await knownNames();
    const named = (await readFile(file, 'utf8')).match(/(?:querygate|process)_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

(hasPromtool ? it : it.skip)('the alerts are what Prometheus itself takes', () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
