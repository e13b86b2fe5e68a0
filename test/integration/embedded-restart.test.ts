import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { findRunningServer, respondsToPing } from '../../src/commands/embedded/running-server.js';
import { pollUntil } from '../support/poll-until.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const start = (
  folder: string,
  onCrash: (message: string) => void = () => undefined,
): Promise<EmbeddedServer> => EmbeddedServer.start({ dataDir: folder, database: 'logs', onCrash });

describe('an embedded server that restarts', () => {
  it('keeps its folder while it is down: others wait for it, and change no file', async () => {
    await withTemporaryFolder(async (folder) => {
      const { promise: crashed, resolve: onCrash } = withResolvers<string>();
      const first = await start(folder, onCrash);
      const files = ['running-server.json', 'clickhouse/config.xml'].map((file) => path.join(folder, file));
      const readAll = (): Promise<string[]> => Promise.all(files.map((file) => readFile(file, 'utf8')));
      const before = await readAll();
      process.kill(first.pid ?? 0, 'SIGKILL');
      await crashed;
      const found = findRunningServer(folder);
      await expect(start(folder)).rejects.toThrow(`in use by the gateway with process id ${process.pid}`);
      expect(await found).toMatchObject({ url: first.adminConnection.url, pid: process.pid });
      expect(await readAll()).toEqual(before);
      await first.stop();
    });
  });

  it('is launched once if its grants change just after its process was killed', async () => {
    await withTemporaryFolder(async (folder) => {
      const lastOutputs: string[] = [];
      const { promise: crashed, resolve } = withResolvers<string>();
      const restarted = await start(folder, (output) => {
        lastOutputs.push(output);
        resolve(output);
      });
      process.kill(restarted.pid ?? 0, 'SIGKILL');
      await crashed;
      await restarted.restartWith(['GRANT SELECT ON logs.t']);
      const { pid } = restarted;
      const users = await readFile(path.join(folder, 'clickhouse/users.d/querygate.xml'), 'utf8');
      expect(users).toContain('GRANT SELECT ON logs.t');
      expect(await respondsToPing(restarted.adminConnection.url)).toBe(true);
      const isOther = (): true | undefined => (restarted.pid === pid ? undefined : true);
      await expect(pollUntil('it is launched again', isOther, 1500)).rejects.toThrow('not within 1500 ms');
      expect(lastOutputs).toHaveLength(1);
      await restarted.stop();
      expect(await respondsToPing(restarted.adminConnection.url)).toBe(false);
    });
  });

  it('stays stopped if it is stopped while its grants change', async () => {
    await withTemporaryFolder(async (folder) => {
      const restarted = await start(folder);
      await Promise.allSettled([restarted.restartWith(['GRANT SELECT ON logs.t']), restarted.stop()]);
      expect(await respondsToPing(restarted.adminConnection.url)).toBe(false);
      expect(await readdir(folder)).not.toContain('running-server.json');
      await (await start(folder)).stop();
    });
  });

  it('stays stopped if it is stopped just after its process was killed', async () => {
    await withTemporaryFolder(async (folder) => {
      const { promise: crashed, resolve: onCrash } = withResolvers<string>();
      const restarted = await start(folder, onCrash);
      const { url } = restarted.adminConnection;
      process.kill(restarted.pid ?? 0, 'SIGKILL');
      await crashed;
      await restarted.stop();
      const isUp = async (): Promise<true | undefined> => ((await respondsToPing(url)) ? true : undefined);
      await expect(pollUntil('it responds', isUp, 1500)).rejects.toThrow('not within 1500 ms');
    });
  });
});

/** A promise that other code resolves. */
function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve: (value) => resolve?.(value) };
}
