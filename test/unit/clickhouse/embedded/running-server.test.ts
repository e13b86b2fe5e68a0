import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import {
  recordRunningServer,
  respondsToPing,
  findRunningServer,
  removeServerRecord,
} from '../../../../src/clickhouse/embedded/running-server.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

/** Runs an HTTP server with a fixed response. */
async function withHttpServer(
  status: number,
  body: string,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const serverAt = (url: string) => ({ url, username: 'admin', password: 'secret', pid: 42 });

describe('respondsToPing', () => {
  it.each([
    [200, 'Ok.\n', true],
    [200, '<html>', false],
    [503, 'Ok.\n', false],
  ])('returns, for status %i and body %j, %s', async (status, body, expected) => {
    await withHttpServer(status, body, async (url) => {
      expect(await respondsToPing(url)).toBe(expected);
    });
  });

  it('returns false when no server listens', async () => {
    let closedUrl = '';
    await withHttpServer(200, 'Ok.\n', (url) => {
      closedUrl = url;
      return Promise.resolve();
    });
    expect(await respondsToPing(closedUrl)).toBe(false);
  });
});

describe('findRunningServer', () => {
  it('finds a recorded server that responds', async () => {
    await withTemporaryFolder(async (folder) => {
      await withHttpServer(200, 'Ok.\n', async (url) => {
        await recordRunningServer(folder, serverAt(url));
        expect(await findRunningServer(folder)).toEqual(serverAt(url));
        await removeServerRecord(folder);
        expect(await findRunningServer(folder)).toBeUndefined();
      });
    });
  });

  it('finds no server when the recorded one does not respond', async () => {
    await withTemporaryFolder(async (folder) => {
      await recordRunningServer(folder, serverAt('http://127.0.0.1:1'));
      expect(await findRunningServer(folder)).toBeUndefined();
    });
  });

  it.each(['', '{', '{"url":'])('finds no server when the record is truncated: %j', async (text) => {
    await withTemporaryFolder(async (folder) => {
      await writeFile(path.join(folder, 'running-server.json'), text);
      expect(await findRunningServer(folder)).toBeUndefined();
    });
  });
});

describe('recordRunningServer', () => {
  it('makes the administrator’s password readable by the owner only', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeFile(path.join(folder, 'running-server.json'), '{}', { mode: 0o644 });
      await recordRunningServer(folder, serverAt('http://127.0.0.1:1'));
      const [file = ''] = await readdir(folder);
      expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600);
    });
  });
});
