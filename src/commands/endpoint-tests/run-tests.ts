import { ClickHouseError } from '@clickhouse/client';

import type { Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { parseIsoTimestamp } from '../../endpoint/iso-timestamp.js';
import { problem } from '../../endpoint/problems.js';
import { describeFailure, messageOf } from '../loading/load-error.js';
import { sendTestCall, type Received } from './call-endpoint.js';
import { checkTest } from './check-test.js';
import { comparisonOf, compareResponse } from './compare-response.js';
import type { Comparison } from './compare-rows.js';
import { emptyTables, insertRows } from './tables.js';
import { problemAt, titleOf, type TestCall, type TestFile } from './test-file.js';
import type { TestServer } from './test-server.js';

/** A call that ran. */
export interface CallRun {
  readonly call: TestCall;
  /** Its place in the file, from 0. */
  readonly index: number;
  readonly title: string;
  readonly milliseconds: number;
  readonly received: Received;
  /** How its rows are compared. */
  readonly comparison: Comparison;
  /** What differs from what the call expects; empty where it passed. */
  readonly differences: readonly string[];
}

/** A test file that ran, or that cannot run. */
export interface RanTest {
  readonly file: string;
  readonly test?: TestFile;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly string[];
  readonly calls: readonly CallRun[];
}

/**
 * Runs the calls of a test file, one after another, over its rows and no others.
 *
 * @param isChosen of the file's calls those to run.
 */
export async function runTest(
  server: TestServer,
  test: TestFile,
  isChosen: (call: TestCall, index: number) => boolean,
): Promise<RanTest> {
  const { file } = test;
  const { client, tables, gateway } = server;
  const calls: CallRun[] = [];
  const names = [test.endpoint, ...test.calls.map(({ endpoint = '' }) => endpoint)];
  const varying = new Map<Endpoint, string | undefined>();
  for (const endpoint of names.flatMap((name) => gateway.endpoints.find(name) ?? []))
    varying.set(endpoint, await server.varyingCallOf(endpoint));
  const { problems, warnings } = checkTest(test, gateway.endpoints, tables, (of) => varying.get(of));
  if (problems.length > 0) return { file, test, problems, warnings, calls };
  try {
    await emptyTables(client);
    const ofRows = await insertRows(client, tables, test);
    if (ofRows.length > 0) return { file, test, problems: ofRows, warnings, calls };
    for (const [index, call] of test.calls.entries()) {
      if (isChosen(call, index)) calls.push(await runCall(server, test, call, index));
    }
    return { file, test, problems, warnings, calls };
  } catch (error) {
    // A table that ClickHouse cannot fill, for example: of this file, not of the others.
    const failed = problemAt(
      test,
      { path: ['rows'], atKey: true },
      problem('FILE_FAILED', error instanceof ClickHouseError ? describeFailure(error) : messageOf(error)),
    );
    return { file, test, problems: [failed], warnings, calls };
  }
}

async function runCall(server: TestServer, test: TestFile, call: TestCall, index: number): Promise<CallRun> {
  const { endpoint: name = test.endpoint, now } = call;
  const endpoint = server.gateway.endpoints.find(name);
  if (!endpoint) throw new Error(`there is no endpoint ${name}`);
  const isSecret = (parameter: string): boolean => endpoint.parameters.get(parameter)?.secret === true;
  server.setTime(now === undefined ? Date.now() : Number((parseIsoTimestamp(now) ?? 0n) / 1000n));
  // The calls of each file start with an empty cache.
  await server.gateway.purge();
  const startedAt = performance.now();
  const received = await sendTestCall(server, endpoint, call);
  const milliseconds = performance.now() - startedAt;
  const differences = compareResponse(call, endpoint, received);
  return {
    call,
    index,
    title: titleOf(call, index, isSecret),
    milliseconds,
    received,
    comparison: comparisonOf(call, endpoint),
    differences,
  };
}
