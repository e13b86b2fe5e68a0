import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import {
  announceServer,
  respondsToPing,
  findRunningServer,
  withdrawServer,
} from '../../../../src/clickhouse/embedded/running-server.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

/** Something that answers every request like this. */
async function whileAnswering(
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

const wordOf = (url: string) => ({ url, username: 'admin', password: 'secret', pid: 42 });

describe('respondsToPing', () => {
  it.each([
    [200, 'Ok.\n', true],
    [200, '<html>', false],
    [503, 'Ok.\n', false],
  ])('for status %i and %j is %s', async (status, body, expected) => {
    await whileAnswering(status, body, async (url) => {
      expect(await respondsToPing(url)).toBe(expected);
    });
  });

  it('is false where nobody listens', async () => {
    let gone = '';
    await whileAnswering(200, 'Ok.\n', (url) => {
      gone = url;
      return Promise.resolve();
    });
    expect(await respondsToPing(gone)).toBe(false);
  });
});

describe('findRunningServer', () => {
  it('finds a server that left word and answers', async () => {
    await withTemporaryFolder(async (folder) => {
      await whileAnswering(200, 'Ok.\n', async (url) => {
        await announceServer(folder, wordOf(url));
        expect(await findRunningServer(folder)).toEqual(wordOf(url));
        await withdrawServer(folder);
        expect(await findRunningServer(folder)).toBeUndefined();
      });
    });
  });

  it('finds none where the one that left word is gone', async () => {
    await withTemporaryFolder(async (folder) => {
      await announceServer(folder, wordOf('http://127.0.0.1:1'));
      expect(await findRunningServer(folder)).toBeUndefined();
    });
  });

  it.each(['', '{', '{"url":'])('finds none where the word is cut: %j', async (text) => {
    await withTemporaryFolder(async (folder) => {
      await writeFile(path.join(folder, 'running-server.json'), text);
      expect(await findRunningServer(folder)).toBeUndefined();
    });
  });
});

describe('announceServer', () => {
  it('leaves the administrator’s password for the owner’s eyes alone', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeFile(path.join(folder, 'running-server.json'), '{}', { mode: 0o644 });
      await announceServer(folder, wordOf('http://127.0.0.1:1'));
      const [file = ''] = await readdir(folder);
      expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600);
    });
  });
});
