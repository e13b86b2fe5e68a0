import { Agent } from 'node:http';

import { sendRequest } from '../measuring/http-request.js';
import { formatCount, formatMegabytes, formatMs, printTable } from '../measuring/print.js';
import { residentBytes } from '../measuring/resident-memory.js';
import { timed } from '../measuring/sampling.js';
import { GET, MCP, mcpRequest, REVISIONS, type EndpointCall, type Target, type Way } from './ways.js';

const CALLS = 1000;
const CALL: EndpointCall = {
  endpoint: 'functions.invocation-stats',
  parameters: { project: 'aurora', interval: 'day' },
};

/** Measures the memory of a gateway that has just started, before and after it has loaded the SDK; prints a table. */
export async function measureMemory(target: Target, pid: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const lines: string[][] = [];
  const note = async (when: string, milliseconds = NaN): Promise<void> => {
    lines.push([when, formatMegabytes(await residentBytes(pid)), formatMs(milliseconds)]);
  };
  const callBy = async (way: Way): Promise<void> => {
    for (let call = 0; call < CALLS; call += 1) await sendRequest(agent, way.requestFor(target, CALL));
  };
  await callBy(GET);
  await note(`before a message, after ${formatCount(CALLS)} calls by ${GET.name}`);
  const first = mcpRequest(target, REVISIONS[0], 'tools/list');
  await note('after the first message, `tools/list`', await timed(() => sendRequest(agent, first)));
  await note('after the second', await timed(() => sendRequest(agent, first)));
  for (const way of MCP) {
    await callBy(way);
    await note(`after ${formatCount(CALLS)} calls by ${way.name}`);
  }
  agent.destroy();
  printTable(['when', 'resident memory', 'the message took'], lines);
}
