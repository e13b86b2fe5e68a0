import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import { freePort } from '../../src/commands/embedded/free-port.js';
import { formatCount, formatMegabytes, formatMs, listCounts, print, printTable } from '../measuring/print.js';
import { summarise, timed } from '../measuring/sampling.js';
import { QUERYGATE, type Stage } from '../stage.js';
import { CHANGES, ChangingProject, FILES, type Change } from './changing-project.js';
import { Load } from './load.js';
import type { Measures } from './measured-gateway.js';

const MEASURED_GATEWAY = fileURLToPath(new URL('measured-gateway.js', import.meta.url));
/** A limit that the load does not reach, so that the gateway counts requests as for any tenant. */
const LIMIT = { limits: { requests: { quota: 1_000_000_000, window: 60 } } };
const FIRST_RELOADS = 10;
const WITHOUT_RELOADS_MS = 10_000;

/** Measures reloads of `querygate serve` under load. */
export async function measureGateway(
  stage: Stage,
  { reloads, rounds }: { readonly reloads: number; readonly rounds: number },
): Promise<void> {
  const project = await ChangingProject.create(path.join(stage.folder, 'served'));
  const gateway = await MeasuredGateway.start(stage, project);
  await gateway.reload();
  const load = gateway.load();
  await delay(1000);
  load.hits.length = 0;
  await gateway.measures();
  await delay(WITHOUT_RELOADS_MS);
  const lines: string[][] = [await lineOf('none', [], gateway, load)];
  for (const change of CHANGES) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await gateway.change(change));
    lines.push(await lineOf(change, times, gateway, load));
  }
  const memory = await reloadMany(gateway, reloads);
  lines.push(await lineOf(`all 100 files, ${formatCount(reloads)} times`, [], gateway, load));
  await load.stop();
  const after = await gateway.measures();
  printTable(['changed', 'reload, median', 'longest', 'hits', 'p99 of hits', 'longest stall'], lines);
  print(`${formatCount(load.responses)} responses; failures: ${listCounts(load.failures) || 'none'}`);
  for (const [when, { residentBytes, heapBytes }] of [...memory, ['at rest', after] as const]) {
    print(`memory ${when}: ${formatMegabytes(residentBytes)} resident, heap ${formatMegabytes(heapBytes)}`);
  }
}

async function reloadMany(
  gateway: MeasuredGateway,
  reloads: number,
): Promise<readonly (readonly [string, Measures])[]> {
  const memory: (readonly [string, Measures])[] = [];
  for (let reload = 1; reload <= reloads; reload += 1) {
    await gateway.change('all 100 files');
    if (reload === FIRST_RELOADS || reload % Math.ceil(reloads / 4) === 0) {
      memory.push([`after ${reload}`, await gateway.measures()]);
    }
  }
  return memory;
}

async function lineOf(
  change: string,
  times: readonly number[],
  gateway: MeasuredGateway,
  load: Load,
): Promise<string[]> {
  const { longestStall } = await gateway.measures();
  const hits = load.hits.splice(0);
  return [
    change,
    formatMs(summarise(times).median),
    times.length === 0 ? '' : formatMs(Math.max(...times)),
    formatCount(hits.length),
    formatMs(summarise(hits).p99),
    formatMs(longestStall),
  ];
}

class MeasuredGateway {
  /** What was served when the last change of each file began. */
  private readonly served = new Array<number>(FILES).fill(0);

  private constructor(
    private readonly project: ChangingProject,
    private readonly key: string,
    private readonly urls: { readonly api: string; readonly admin: string; readonly measures: string },
  ) {}

  static async start(stage: Stage, project: ChangingProject): Promise<MeasuredGateway> {
    const clickhouse = await stage.startClickHouse({ grants: ['GRANT SELECT ON logs.events'] });
    await prepareDatabase(clickhouse.adminConnection, {
      schemaFolder: path.join(project.folder, 'clickhouse-schema'),
    });
    const { readerConnection } = clickhouse;
    const { file, keys } = await stage.writeKeys({ limited: LIMIT });
    const [adminPort, measuresPort] = [await freePort(), await freePort()];
    const { url } = await stage.startModule(MEASURED_GATEWAY, [String(measuresPort), QUERYGATE, 'serve'], {
      PROJECT_DIR: project.folder,
      CLICKHOUSE_URL: readerConnection.url,
      CLICKHOUSE_USER: readerConnection.username,
      CLICKHOUSE_PASSWORD: readerConnection.password,
      CLICKHOUSE_DATABASE: readerConnection.database,
      API_KEYS_FILE: file,
      LOG_LEVEL: 'info',
      ADMIN_PORT: String(adminPort),
    });
    return new MeasuredGateway(project, keys.limited, {
      api: url,
      admin: `http://127.0.0.1:${adminPort}`,
      measures: `http://127.0.0.1:${measuresPort}`,
    });
  }

  load(): Load {
    return new Load(this.urls.api, this.key, this.project, (file) => this.served[file] ?? 0);
  }

  /** Changes files and reloads. @returns the milliseconds of the reload */
  async change(change: Change): Promise<number> {
    await this.project.change(change);
    return timed(() => this.reload());
  }

  async reload(): Promise<void> {
    const response = await fetch(`${this.urls.admin}/endpoints/reload`, { method: 'POST' });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    for (const file of this.served.keys()) this.served[file] = this.project.versionOf(file);
  }

  async measures(): Promise<Measures> {
    return (await (await fetch(this.urls.measures)).json()) as Measures;
  }
}
