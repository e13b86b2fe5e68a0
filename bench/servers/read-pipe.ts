import { execFileSync, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import path from 'node:path';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import type { Stage } from '../stage.js';
import { endWithThisProcess } from './server-process.js';

/** Opens a pipe, for a server's output, that another process reads; returns its writing end. */
export function openReadPipe(stage: Stage): number {
  const file = path.join(stage.folder, `pipe-${generateApiKey().slice(-8)}`);
  // A real pipe, as a container's log driver has: Node's own `pipe` is a socket.
  execFileSync('mkfifo', [file]);
  endWithThisProcess(spawn('cat', [file], { stdio: ['ignore', 'ignore', 'inherit'] }));
  return openSync(file, 'w');
}
