import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import { findProjects } from '../data/endpoint-queries.js';
import { FILLINGS, fillTable } from '../data/fill-tables.js';
import { httpGet } from '../measuring/http-get.js';
import { formatCount, formatMs, printMachine, printTable } from '../measuring/print.js';
import { sampleInTurn, timed } from '../measuring/sampling.js';
import { REFERENCE } from '../reference-project.js';
import type { Stage } from '../stage.js';

/** An endpoint around whose query the gateway puts the condition of a page; `logs.all` takes it inside. */
const RECORDS = `/*
name: edge.records
id: 0b0d2c5a-7f0e-4e3a-8a43-3d1c7c1e0003
summary: Edge log records of a project.
parameters: { project: { kind: string, required: true, description: Project reference. } }
columns: { timestamp: "DateTime64(6, 'UTC')", id: UUID, event_message: String }
pages: { by: [timestamp desc, id] }
maxRows: 100
caching: disabled
example: { project: aurora }
*/
SELECT timestamp, id, event_message FROM edge_logs WHERE project = @project
`;

const LATE_PAGE = 500;

/** Measures the first and a late page of edge logs in turn; prints a table. */
export async function runPages(stage: Stage, rows: number, rounds: number): Promise<void> {
  const folder = path.join(stage.folder, 'pages');
  await mkdir(path.join(folder, 'endpoints'), { recursive: true });
  await writeFile(path.join(folder, 'endpoints', 'edge.records.sql'), RECORDS);
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(folder, 'data') });
  await prepareDatabase(clickhouse.adminConnection, { schemaFolder: REFERENCE.schemaFolder });
  const admin = stage.connect(clickhouse.adminConnection);
  for (const filling of FILLINGS.slice(0, 1)) await fillTable(admin, filling, rows, new Date());
  const { largest } = await findProjects(admin);
  const apiKey = generateApiKey();
  const headers = { 'X-API-KEY': apiKey };
  printMachine(`${formatCount(rows)} edge logs; ${rounds} requests of each page, in turn`);
  const table: string[][] = [];
  for (const [call, projectDir] of [
    [`logs.all?project=${largest}&project_tier=PRO`, undefined],
    [`edge.records?project=${largest}`, folder],
  ] as const) {
    const gateway = await stage.startGateway(clickhouse.readerConnection, {
      API_KEY: apiKey,
      ...(projectDir !== undefined && { PROJECT_DIR: projectDir }),
    });
    const first = `${gateway.url}/api/endpoints/query/${call}`;
    const late = await lateTarget(first, headers);
    const [ofFirst, ofLate] = await sampleInTurn(
      rounds,
      [first, late].map((url) => () => timed(() => httpGet(url, headers))),
    );
    if (!ofFirst || !ofLate) throw new Error('nothing was measured');
    const [endpoint = ''] = call.split('?', 1);
    table.push(
      [endpoint, '1', formatMs(ofFirst.median), formatMs(ofFirst.p99), ''],
      [
        endpoint,
        String(LATE_PAGE),
        formatMs(ofLate.median),
        formatMs(ofLate.p99),
        (ofLate.median / ofFirst.median).toFixed(2),
      ],
    );
    await gateway.stop();
  }
  printTable(['endpoint', 'page', 'median', 'p99', 'ratio'], table);
  await clickhouse.stop();
}

/** The URL of the late page, which the pages before it lead to. */
async function lateTarget(first: string, headers: Readonly<Record<string, string>>): Promise<string> {
  let url = first;
  for (let page = 1; page < LATE_PAGE; page += 1) {
    const { 'x-next-cursor': cursor } = await httpGet(url, headers);
    if (cursor === undefined) throw new Error(`page ${page} is the last one: generate more rows`);
    url = `${first}&cursor=${String(cursor)}`;
  }
  return url;
}
