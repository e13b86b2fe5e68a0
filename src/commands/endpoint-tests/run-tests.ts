import type { FileProblem } from '../../endpoint/file-problems.js';
import { parseIsoTimestamp } from '../../endpoint/iso-timestamp.js';
import { callEndpoint, type Received } from './call-endpoint.js';
import { checkTest } from './check-test.js';
import { judgeCall } from './judge-call.js';
import { emptyTables, insertRows } from './tables.js';
import { titleOf, type TestCall, type TestFile } from './test-file.js';
import type { TestServer } from './test-server.js';

/** A call that ran. */
export interface RanCall {
  readonly call: TestCall;
  /** Its place in the file, from 0. */
  readonly index: number;
  readonly title: string;
  readonly milliseconds: number;
  readonly received: Received;
  /** What differs from what the call expects; empty where it passed. */
  readonly differences: readonly string[];
}

/** A test file that ran, or that cannot run. */
export interface RanTest {
  readonly file: string;
  readonly test?: TestFile;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly string[];
  readonly calls: readonly RanCall[];
}

/**
 * Runs the calls of a test file, one after another, over its rows and no others.
 *
 * @param isChosen of the file's calls those to run.
 */
export async function runTest(
  server: TestServer,
  test: TestFile,
  isChosen: (call: TestCall, index: number) => boolean = () => true,
): Promise<RanTest> {
  const { file } = test;
  const { client, tables, gateway } = server;
  const { problems, warnings } = checkTest(test, gateway.endpoints, tables);
  if (problems.length > 0) return { file, test, problems, warnings, calls: [] };
  await emptyTables(client, tables);
  const ofRows = await insertRows(client, test);
  if (ofRows.length > 0) return { file, test, problems: ofRows, warnings, calls: [] };
  const calls: RanCall[] = [];
  for (const [index, call] of test.calls.entries()) {
    if (isChosen(call, index)) calls.push(await runCall(server, test, call, index));
  }
  return { file, test, problems, warnings, calls };
}

async function runCall(server: TestServer, test: TestFile, call: TestCall, index: number): Promise<RanCall> {
  const { endpoint: name = test.endpoint, now } = call;
  const endpoint = server.gateway.endpoints.find(name);
  if (!endpoint) throw new Error(`there is no endpoint ${name}`);
  server.setTime(now === undefined ? Date.now() : Number((parseIsoTimestamp(now) ?? 0n) / 1000n));
  // Of the calls of a file, each is the first that anybody made.
  await server.gateway.purge();
  const startedAt = performance.now();
  const received = await callEndpoint(server, endpoint, call);
  const milliseconds = performance.now() - startedAt;
  const differences = judgeCall(call, endpoint, received);
  return { call, index, title: titleOf(call, index), milliseconds, received, differences };
}
