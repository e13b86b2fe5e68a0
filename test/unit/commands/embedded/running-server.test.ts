import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import {
  findRunningServer,
  releaseDataFolder,
  takeDataFolder,
  type RunningServer,
} from '../../../../src/commands/embedded/running-server.js';
import { withFakeClickHouse } from '../../../support/fake-clickhouse.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

const SILENT = 'http://127.0.0.1:1';
let servers = 0;

const serverAt = (url: string, pid = process.pid): RunningServer => ({
  url,
  username: 'admin',
  password: `secret ${++servers}`,
  pid,
});

const fileIn = (folder: string): string => path.join(folder, 'running-server.json');
const writeRecord = (folder: string, server: RunningServer): Promise<void> =>
  writeFile(fileIn(folder), JSON.stringify(server));

/** Runs a process that does nothing. */
async function withProcess(use: (child: ChildProcess, pid: number) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' });
  const exited = once(child, 'exit');
  try {
    await use(child, child.pid ?? 0);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** The id of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

/** A server that responds to a ping. */
const withServer = (use: (url: string) => Promise<void>): Promise<void> =>
  withFakeClickHouse(
    (_request, response) => response.end('Ok.\n'),
    ({ url }) => use(url),
  );

describe('findRunningServer', () => {
  it('finds a recorded server that responds', async () => {
    await withTemporaryFolder(async (folder) => {
      await withServer(async (url) => {
        const server = serverAt(url);
        await takeDataFolder(folder, server);
        expect(await findRunningServer(folder)).toEqual(server);
        await releaseDataFolder(folder, server);
        expect(await findRunningServer(folder)).toBeUndefined();
      });
    });
  });

  it('finds no server when the recorded process has ended', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeRecord(folder, serverAt(SILENT, deadPid()));
      expect(await findRunningServer(folder)).toBeUndefined();
    });
  });

  it('finds no server in a record of an earlier process with the same id, as in a container', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeRecord(folder, serverAt(SILENT));
      expect(await findRunningServer(folder)).toBeUndefined();
    });
  });

  it('waits for the server of a living process, then names the process and the file', async () => {
    await withTemporaryFolder(async (folder) => {
      await withProcess(async (_child, pid) => {
        await writeRecord(folder, serverAt(SILENT, pid));
        await expect(findRunningServer(folder, 50)).rejects.toThrow(
          `The data folder ${folder} is in use by the gateway with process id ${pid}. ` +
            'Stop that gateway, or set DATA_DIR to another folder. Its ClickHouse has not responded for 0.05 s. ' +
            `If process ${pid} is no gateway, delete ${fileIn(folder)}.`,
        );
      });
    });
  });

  it('stops waiting when the process ends', async () => {
    await withTemporaryFolder(async (folder) => {
      await withProcess(async (child, pid) => {
        await writeRecord(folder, serverAt(SILENT, pid));
        const found = findRunningServer(folder);
        child.kill('SIGKILL');
        expect(await found).toBeUndefined();
      });
    });
  });

  it.each(['', '{', '{"url":', 'null', '7', '{}', '{"pid":-1}'])(
    'finds no server when the record is incomplete: %j',
    async (text) => {
      await withTemporaryFolder(async (folder) => {
        await writeFile(fileIn(folder), text);
        expect(await findRunningServer(folder)).toBeUndefined();
        await takeDataFolder(folder, serverAt(SILENT));
      });
    },
  );
});

describe('takeDataFolder', () => {
  it('makes the administrator’s password readable by the owner only', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeFile(fileIn(folder), '{}', { mode: 0o644 });
      await takeDataFolder(folder, serverAt(SILENT));
      expect(await readdir(folder)).toEqual(['running-server.json']);
      expect((await stat(fileIn(folder))).mode & 0o777).toBe(0o600);
    });
  });

  it('gives the folder of a dead process to one of many', async () => {
    await withTemporaryFolder(async (folder) => {
      await withServer(async (url) => {
        await writeRecord(folder, serverAt(SILENT, deadPid()));
        const rivals = Array.from({ length: 20 }, () => serverAt(url));
        const results = await Promise.allSettled(rivals.map((server) => takeDataFolder(folder, server)));
        const winners = rivals.filter((_server, index) => results[index]?.status === 'fulfilled');
        expect(winners).toHaveLength(1);
        expect(await findRunningServer(folder)).toEqual(winners[0]);
        expect(await readdir(folder)).toEqual(['running-server.json']);
      });
    });
  });
});

describe('releaseDataFolder', () => {
  it('keeps the record of another server', async () => {
    await withTemporaryFolder(async (folder) => {
      await takeDataFolder(folder, serverAt(SILENT));
      const before = await readFile(fileIn(folder), 'utf8');
      await releaseDataFolder(folder, serverAt(SILENT));
      expect(await readFile(fileIn(folder), 'utf8')).toBe(before);
    });
  });
});
