import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';

import { bytes, milliseconds, number } from '../model/display.js';
import { sum } from '../model/metrics.js';
import { Chart } from '../parts/chart.js';
import { ThemeSwitch } from '../parts/theme-switch.js';
import { ProjectFiles } from './project-files.js';
import { RunningCallTable } from './running-calls.js';
import type { Snapshot } from './snapshot.js';
import { requestsFailed, requestsWith, statusCounts, type Rate } from './summary.js';
import { EndpointTable, FailureTable, KeyTable, UsageTable, WarmingTable } from './tables.js';
import { useSnapshots } from './use-snapshots.js';

/** The admin page: traffic, errors, warming and keys of one gateway. */
export function AdminPage(): VNode {
  const { latest, rates, problem, refresh } = useSnapshots();
  return (
    <>
      <header class="top">
        <span class="brand">Querygate</span>
        <span class="muted">admin</span>
        <span class="grow" />
        <ThemeSwitch />
      </header>
      <main class="admin">
        <h1>State of the gateway</h1>
        <p class="hint">
          Since its start; renewed every five seconds while this page is visible.
          {latest && ` Last at ${new Date(latest.at).toISOString().slice(11, 19)} UTC.`}
        </p>
        {problem !== undefined && (
          <p class="notice bad" role="alert">
            The gateway does not respond: {problem}. The page shows its last response.
          </p>
        )}
        {latest ? <Overview {...{ latest, rates, refresh }} /> : <p class="hint">Loading…</p>}
      </main>
    </>
  );
}

interface OverviewProps {
  readonly latest: Snapshot;
  readonly rates: readonly Rate[];
  readonly refresh: () => void;
}

function Overview({ latest, rates, refresh }: OverviewProps): VNode {
  return (
    <>
      <Tiles latest={latest} rates={rates} />
      <section aria-labelledby="traffic">
        <h2 id="traffic">Traffic</h2>
        <Traffic latest={latest} rates={rates} />
      </section>
      <section aria-labelledby="calls">
        <h2 id="calls">Calls that run now</h2>
        <RunningCallTable running={latest.running} onChange={refresh} />
      </section>
      <section aria-labelledby="by-endpoint">
        <h2 id="by-endpoint">Endpoints, slowest first</h2>
        <EndpointTable latest={latest} />
      </section>
      <section aria-labelledby="errors">
        <h2 id="errors">Recent errors</h2>
        <FailureTable errors={latest.errors} />
      </section>
      <section aria-labelledby="files">
        <h2 id="files">Files of the project</h2>
        <ProjectFiles project={latest.project} onChange={refresh} />
      </section>
      <section aria-labelledby="warming">
        <h2 id="warming">Warming</h2>
        <WarmingTable warming={latest.warming} />
      </section>
      <section aria-labelledby="usage">
        <h2 id="usage">Cost by key, last 7 days</h2>
        <UsageTable usage={latest.usage} />
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <KeyTable keys={latest.keys} />
      </section>
    </>
  );
}

type Tile = readonly [name: string, value: string, isBad?: boolean];

function tilesOf({ samples, cache }: Snapshot, rates: readonly Rate[]): readonly Tile[] {
  const [all, failed] = [requestsWith(samples, /./), requestsFailed(samples)];
  const hits = sum(samples, 'querygate_requests_total', { cache: 'HIT' });
  const cacheable = sum(samples, 'querygate_requests_total', { cache: /./ });
  const savedRows = sum(samples, 'querygate_pieces_saved_rows_total');
  const rate = rates.at(-1);
  const isCircuitOpen = sum(samples, 'querygate_clickhouse_breaker_open') > 0;
  const isRedisBad = ['circuit open', 'rejects commands'].includes(cache.redis);
  return [
    [
      'Requests per second',
      rate ? number(Math.round((rate.ok + rate.rejected + rate.failed) * 10) / 10) : '–',
    ],
    ['Requests', number(all)],
    ['Failed (5xx)', number(failed), failed > 0],
    ['From the cache', cacheable === 0 ? '–' : `${Math.round((100 * hits) / cacheable)} %`],
    ['Cache in memory', bytes(sum(samples, 'querygate_cache_bytes'))],
    ...(savedRows > 0 ? ([['Rows not read again', number(savedRows)]] as const) : []),
    ['Queries running', number(sum(samples, 'querygate_queries_running'))],
    ['Queries waiting', number(sum(samples, 'querygate_queries_waiting'))],
    ['ClickHouse', isCircuitOpen ? 'circuit open' : 'in use', isCircuitOpen],
    ['Redis', cache.redis === 'not configured' ? 'none' : cache.redis, isRedisBad],
    ['Warming took', milliseconds(sum(samples, 'querygate_warming_clickhouse_seconds_total') * 1000)],
    ['Process memory', bytes(sum(samples, 'process_resident_memory_bytes'))],
  ];
}

function Tiles({ latest, rates }: { readonly latest: Snapshot; readonly rates: readonly Rate[] }): VNode {
  return (
    <dl class="tiles">
      {tilesOf(latest, rates).map(([name, value, isBad]) => (
        <div key={name} class={isBad ? 'is-bad' : ''}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const LINES = [
  ['successful', 'ok'],
  ['rejected (4xx)', 'rejected'],
  ['failed (5xx)', 'failed'],
] as const;

function Traffic({ latest, rates }: { readonly latest: Snapshot; readonly rates: readonly Rate[] }): VNode {
  const data = useMemo(
    () => ({
      times: rates.map(({ at }) => at / 1000),
      lines: LINES.map(([name, field]) => ({ name, values: rates.map((rate) => rate[field]) })),
    }),
    [rates],
  );
  return (
    <div class="chart-panel">
      {rates.length < 2 ? (
        <p class="hint chart-soon">The chart of requests per second begins with the third response.</p>
      ) : (
        <Chart data={data} height={150} label="Requests a second since this page was opened" />
      )}
      <ul class="legend">
        {LINES.map(([name], line) => (
          <li key={name}>
            <span class={`swatch line-${line + 1}`} aria-hidden="true" />
            {name} per second
          </li>
        ))}
        {statusCounts(latest.samples).map(([status, count]) => (
          <li key={status}>
            <strong>{status}</strong> {number(count)}
          </li>
        ))}
      </ul>
    </div>
  );
}
