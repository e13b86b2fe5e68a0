import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { EXPECTED_BY_CALLER } from '../../../../src/gateway/errors.js';
import { READ_METRICS } from '../../../../src/gateway/observability/metric-table.js';
import { Metrics } from '../../../../src/gateway/observability/metrics.js';

const FOLDER = fileURLToPath(new URL('../../../../observability', import.meta.url));
const ALERTS = path.join(FOLDER, 'prometheus', 'querygate-alerts.yml');

/** Names of all metrics of a gateway. */
async function knownNames(): Promise<ReadonlySet<string>> {
  const all = await new Metrics().registry.getMetricsAsJSON();
  const read = Object.values(READ_METRICS).flatMap((metrics) => Object.keys(metrics));
  const names = [...all.map(({ name }) => name), ...read.map((name) => `querygate_${name}`)];
  return new Set(names.flatMap((name) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]));
}

const DASHBOARD = path.join(FOLDER, 'grafana', 'dashboards', 'querygate.json');
const REFERENCE = path.join(FOLDER, '..', 'docs', 'reference', 'admin-api.md');

it.each([
  ['the dashboard', DASHBOARD],
  ['the alerts', ALERTS],
  ['the reference', REFERENCE],
])('%s names only metrics that the gateway has', async (_what, file) => {
  const known = await knownNames();
  const named = (await readFile(file, 'utf8')).match(/(?:querygate|process)_\w+/g) ?? [];
  expect(named.length).toBeGreaterThan(5);
  const tables = ['querygate_usage', 'querygate_calls'];
  expect(named.filter((name) => !known.has(name) && !tables.includes(name))).toEqual([]);
});

describe.each([
  ['the dashboard', DASHBOARD],
  ['the alerts', ALERTS],
])('%s', (_what, file) => {
  it('excludes the codes in EXPECTED_BY_CALLER from the server errors', async () => {
    const text = (await readFile(file, 'utf8')).replaceAll('\\"', '"');
    const selectors = text.match(/\{status=~"5[^}]*\}/g) ?? [];
    const expected = [...EXPECTED_BY_CALLER].join('|');
    expect(new Set(selectors)).toEqual(new Set([`{status=~"5..",code!~"${expected}"}`]));
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

const onPrometheus = hasPromtool ? it : it.skip;

onPrometheus('the alerts are valid for Prometheus', () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

onPrometheus.each([
  ['504', 'NOT_CACHED', false],
  ['504', 'WAIT_OVER', false],
  ['504', 'QUERY_TIMEOUT', true],
  ['500', 'INTERNAL', true],
])('QuerygateErrors fires after ten minutes of %s %s: %s', async (status, code, alerts) => {
  const labels = (more: string): string => `querygate_requests_total{endpoint="a",${more}}`;
  const alert = {
    exp_labels: { severity: 'page', endpoint: 'a' },
    exp_annotations: {
      summary: 'More than 5 % of the responses are server errors',
      description: 'Endpoint a. The log contains the cause of each request id.',
    },
  };
  const test = {
    interval: '1m',
    input_series: [
      { series: labels('status="200",cache="HIT"'), values: '0+9x15' },
      { series: labels(`status="${status}",code="${code}"`), values: '0+1x15' },
    ],
    alert_rule_test: [{ eval_time: '10m', alertname: 'QuerygateErrors', exp_alerts: alerts ? [alert] : [] }],
  };
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  try {
    const file = path.join(folder, 'alerts.json');
    await writeFile(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests: [test] }));
    const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    expect(stdout + stderr).toContain('SUCCESS');
  } finally {
    await rm(folder, { recursive: true });
  }
});
