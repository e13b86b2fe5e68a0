import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Agent } from 'node:http';

import { sendRequest, type HttpRequest } from '../measuring/http-request.js';
import { formatMs, print, printTable } from '../measuring/print.js';
import { sampleInTurn, timed } from '../measuring/sampling.js';
import { REFERENCE } from '../reference-project.js';
import type { Stage } from '../stage.js';
import { MCP, mcpRequest, REVISIONS, type Target } from './ways.js';

const FEW = 5;
const MANY = 500;

/** Measures messages to a gateway with few endpoints and to one with many, in turn; prints a table. */
export async function measureManyEndpoints(
  stage: Stage,
  startProject: (folder: string) => Promise<Target>,
  calls: number,
): Promise<void> {
  const [few, many] = [
    await startProject(await createProject(path.join(stage.folder, 'few'), FEW)),
    await startProject(await createProject(path.join(stage.folder, 'many'), MANY)),
  ];
  print(`\n${FEW} and ${MANY} endpoints: one connection each, ${calls} messages to each gateway in turn`);
  const lines: string[][] = [];
  for (const { about, requestFor } of messages()) {
    const latencies = await sampleInTurn(
      calls,
      [few, many].map((target) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const request = requestFor(target);
        return () => timed(() => sendRequest(agent, request));
      }),
    );
    const [ofFew = NaN, ofMany = NaN] = latencies.map(({ median }) => median);
    lines.push([about, formatMs(ofFew), formatMs(ofMany), (ofMany / ofFew).toFixed(2)]);
  }
  printTable(['message', `${FEW} endpoints`, `${MANY} endpoints`, 'ratio'], lines);
}

interface MessageCase {
  readonly about: string;
  readonly requestFor: (target: Target) => HttpRequest;
}

function messages(): readonly MessageCase[] {
  const call = { endpoint: nameOf(0), parameters: { project: 'aurora' } };
  const list = (target: Target, query: string): HttpRequest =>
    mcpRequest(target, REVISIONS[0], 'tools/list', {}, query);
  return [
    ...MCP.map((way) => ({
      about: `\`tools/call\`, a hit, ${way.name}`,
      requestFor: (target: Target) => way.requestFor(target, call),
    })),
    {
      about: `\`tools/list\`, the ${FEW} tools with one tag`,
      requestFor: (target) => list(target, '?tag=first'),
    },
    { about: '`tools/list`, first page: 5 and 50 tools', requestFor: (target) => list(target, '') },
  ];
}

const nameOf = (number: number): string => `calls.of-kind-${number}`;

/** Writes a project of endpoints on the tables of the reference project, of which the first few have a tag. */
async function createProject(folder: string, endpoints: number): Promise<string> {
  await mkdir(path.join(folder, 'endpoints'), { recursive: true });
  await symlink(REFERENCE.schemaFolder, path.join(folder, 'clickhouse-schema'));
  for (let number = 0; number < endpoints; number += 1) {
    await writeFile(path.join(folder, 'endpoints', `${nameOf(number)}.sql`), endpointFile(number));
  }
  return folder;
}

const endpointFile = (number: number): string => `/*
name: ${nameOf(number)}
id: 5d1c7a40-5cb3-41e7-907b-a6006ad3${String(number).padStart(4, '0')}
summary: Calls of functions by hour, of the kind ${number}.
tags: [${number < FEW ? 'first' : 'other'}]
parameters:
  project: { kind: string, description: Name of the project. }
  since: { kind: timestamp, description: Only calls since this time. }
  until: { kind: timestamp, description: Only calls before this time. }
  rows: { kind: integer, minimum: 1, maximum: 1000, default: 24, description: Number of rows. }
columns: { hour: DateTime, calls: UInt64, errors: UInt64 }
caching: 3600
example: { project: aurora }
*/
SELECT dateTrunc('hour', timestamp) AS hour, count() AS calls, countIf(status_code >= 500) AS errors
FROM function_relay_logs
WHERE ${number} = ${number}
  [[ AND project = @project ]]
  [[ AND timestamp >= @since ]]
  [[ AND timestamp < @until ]]
GROUP BY hour
ORDER BY hour DESC
LIMIT @rows
`;
