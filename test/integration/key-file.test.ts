import { execFileSync } from 'node:child_process';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { openKeys, type Keys } from '../../src/gateway/auth/open-keys.js';
import type { KeyFileEvents } from '../../src/gateway/auth/watched-key-file.js';
import { pollUntil } from '../support/poll-until.js';
import { startProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

/** Records the events. */
class RecordingEvents implements KeyFileEvents {
  readonly reloads: number[] = [];
  readonly rejections: string[] = [];
  readonly onReloaded = (keys: number): void => void this.reloads.push(keys);
  readonly onRejected = (reason: string): void => void this.rejections.push(reason);

  untilReloaded(times: number): Promise<true> {
    return pollUntil('the file is read again', () => (this.reloads.length >= times ? true : undefined));
  }

  untilRejected(times: number): Promise<string> {
    return pollUntil('the file is rejected', () => this.rejections[times - 1]);
  }
}

const fileOf = (...names: readonly string[]): string =>
  JSON.stringify({ keys: names.map((name) => ({ name, sha256: [hashApiKey(`key of ${name}`)] })) });

/** Returns which of these three names have an accepted key. */
const accepted = (keys: Keys): readonly string[] =>
  ['ada', 'ben', 'cy'].filter((name) => keys.find(`key of ${name}`)?.name === name);

async function withKeyFile(
  use: (parts: {
    readonly folder: string;
    readonly file: string;
    readonly keys: Keys;
    readonly events: RecordingEvents;
  }) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const file = path.join(folder, 'keys.json');
    await writeFile(path.join(folder, 'first.json'), fileOf('ada'));
    await symlink('first.json', file);
    const events = new RecordingEvents();
    const keys = await openKeys({ apiKey: 'fixed', apiKeysFile: file }, events);
    try {
      await use({ folder, file, keys, events });
    } finally {
      keys.close();
    }
  });
}

describe('the keys file', () => {
  it('is reloaded when it changes: new keys are accepted, removed ones are not', async () => {
    await withKeyFile(async ({ file, keys, events }) => {
      expect(accepted(keys)).toEqual(['ada']);
      await writeFile(file, fileOf('ben', 'cy'));
      await events.untilReloaded(1);
      expect(accepted(keys)).toEqual(['ben', 'cy']);
      expect(keys.find('fixed')).toMatchObject({ name: 'API_KEY' });
      expect(events.reloads).toEqual([2]);
      expect(events.rejections).toEqual([]);
    });
  });

  it('is rejected while invalid, without a change of the active keys, and reloaded once it is fixed', async () => {
    await withKeyFile(async ({ file, keys, events }) => {
      await writeFile(file, fileOf('ada', 'ben').slice(0, -20));
      const reason = await events.untilRejected(1);
      expect(reason).toContain(file);
      expect(reason).not.toMatch(/[0-9a-f]{8}/);
      expect(accepted(keys)).toEqual(['ada']);
      await writeFile(file, fileOf('ada', 'ben'));
      await events.untilReloaded(1);
      expect(accepted(keys)).toEqual(['ada', 'ben']);
    });
  });

  it('is rejected while missing, without a change of the active keys, and reloaded once it is back', async () => {
    await withKeyFile(async ({ folder, file, keys, events }) => {
      await rm(file);
      expect(await events.untilRejected(1)).toContain('the file does not exist');
      expect(accepted(keys)).toEqual(['ada']);
      await writeFile(path.join(folder, 'new.json'), fileOf('cy'));
      await rename(path.join(folder, 'new.json'), file);
      await events.untilReloaded(1);
      expect(accepted(keys)).toEqual(['cy']);
    });
  });

  it('is reloaded if a symbolic link changes its target, as mounted secrets do', async () => {
    await withKeyFile(async ({ folder, file, keys, events }) => {
      await writeFile(path.join(folder, 'second.json'), fileOf('ben'));
      await symlink('second.json', path.join(folder, 'link'));
      await rename(path.join(folder, 'link'), file);
      await events.untilReloaded(1);
      expect(accepted(keys)).toEqual(['ben']);
    });
  });

  it('is rejected if a key names no endpoint, without a change of the active keys', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, fileOf('ada'));
      const events = new RecordingEvents();
      const endpoints = [{ id: '1', name: 'logs.all', parameters: new Set<string>() }];
      const keys = await openKeys({ apiKey: undefined, apiKeysFile: file }, events, {
        endpoints: () => endpoints,
      });
      try {
        const key = { name: 'ben', sha256: [hashApiKey('key of ben')], endpoints: ['log.*'] };
        await writeFile(file, JSON.stringify({ keys: [key] }));
        expect(await events.untilRejected(1)).toContain('key ben: no endpoint matches "log.*"');
        expect(accepted(keys)).toEqual(['ada']);
        await writeFile(file, JSON.stringify({ keys: [{ ...key, endpoints: ['logs.*'] }] }));
        await events.untilReloaded(1);
        expect(accepted(keys)).toEqual(['ben']);
      } finally {
        keys.close();
      }
    });
  });

  it('is read again without a change where it could not be read, and that is reported once', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'keys.json');
      await writeFile(file, fileOf('ada', 'ben'));
      const script = fileURLToPath(new URL('../support/watch-keys.mjs', import.meta.url));
      const watching = startProcess(script, { API_KEYS_FILE: file });
      await watching.untilWritten(/open/);
      const allowFiles = (count: number): void => {
        const { pid = 0 } = watching.child;
        execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
      };
      try {
        allowFiles(1);
        await writeFile(file, fileOf('ada'));
        await watching.untilWritten(/rejected .*EMFILE/);
        allowFiles(1024);
        await watching.untilWritten(/reloaded 1/);
        expect(watching.stdout().match(/rejected/g)).toHaveLength(1);
      } finally {
        watching.child.kill();
      }
    });
  });
});
