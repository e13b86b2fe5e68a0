import path from 'node:path';

import { projectFolder, projectIn } from '../../gateway/config/project.js';
import { problemOfEndpointName } from '../../endpoint/check-definition.js';
import { endpointFiles } from '../../endpoint/endpoint-files.js';
import { REQUESTS_ENDPOINT } from '../../gateway/observability/requests-endpoint.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { endpointOfTable } from '../introspect/endpoint-of-table.js';
import { newEndpointFile } from './project/templates.js';
import { writeNewFile } from './project/write-new-file.js';

/** The options of `querygate new`, as commander parses them. */
export interface NewOptions {
  readonly sql?: boolean;
  readonly ts?: boolean;
  /** A table whose rows the endpoint returns. */
  readonly table?: string;
}

/** Writes an endpoint file to begin with, and prints its path. */
export async function runNew(
  name: string,
  { sql = false, ts = false, table }: NewOptions,
  signal: AbortSignal,
): Promise<void> {
  if (sql && ts) throw usageError('--sql and --ts exclude each other: an endpoint has one file.');
  if (ts && table !== undefined) throw usageError('--table writes an endpoint in SQL: leave --ts away.');
  rejectName(name);
  const { folder, endpointsFolder } = projectIn(projectFolder(process.env));
  const existing = (await endpointFiles(endpointsFolder)).find((file) => path.parse(file).name === name);
  if (existing !== undefined) throw nameIsTaken(name, path.join('endpoints', existing));
  const file =
    table === undefined
      ? await newEndpointFile(name, ts ? 'ts' : 'sql')
      : await endpointOfTable(name, table, signal);
  if ((await writeNewFile(folder, file)) === 'kept') throw nameIsTaken(name, file.path);
  process.stdout.write(`${file.path}\n`);
  process.stderr.write(`Next: edit it, then run npx querygate check ${name} and npx querygate dev\n`);
}

/** @throws CommandError (invalid usage) where no endpoint of a project can have the name */
function rejectName(name: string): void {
  const problem =
    name === REQUESTS_ENDPOINT.name
      ? 'is an endpoint of the gateway itself: choose another name'
      : problemOfEndpointName(name);
  if (problem !== undefined) throw usageError(`${name} ${problem}, such as orders.by-day`);
}

function nameIsTaken(name: string, file: string): CommandError {
  return new CommandError(
    `${file} has the endpoint ${name} already. Nothing was written: choose another name, or remove that file.`,
    EXIT.failed,
  );
}
