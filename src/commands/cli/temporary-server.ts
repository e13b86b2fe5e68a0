import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { EmbeddedServer } from '../embedded/embedded-server.js';
import { interruptible } from './run-command.js';

/** Runs a task with an embedded server on a temporary folder, without a schema. */
export async function withTemporaryServer<T>(
  database: string,
  signal: AbortSignal,
  task: (server: EmbeddedServer) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-check-'));
  let server: EmbeddedServer | undefined;
  try {
    const started = await EmbeddedServer.start({
      dataDir: folder,
      database,
      onCrash: () => undefined, // The task's queries fail and report it.
    });
    server = started;
    return await interruptible(signal, () => task(started));
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
