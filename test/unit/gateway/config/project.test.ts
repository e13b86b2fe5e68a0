import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readConfig } from '../../../../src/gateway/config/config.js';
import { withEnvFile, type Environment } from '../../../../src/gateway/config/project.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

/** Runs a task with the environment that a project with this `.env` gets. */
async function withProject(
  envFile: string | undefined,
  task: (complete: (environment?: Environment) => Environment, folder: string) => void,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    if (envFile !== undefined) await writeFile(path.join(folder, '.env'), envFile);
    task((environment = {}) => withEnvFile({ PROJECT_DIR: folder, ...environment }), folder);
  });
}

describe('withEnvFile', () => {
  it('adds the variables of .env that the environment does not define', async () => {
    await withProject('# A comment.\nPORT=81\nexport API_KEY="a b"\nLOG_LEVEL=warn\n', (complete) => {
      const environment = { PORT: '82', LOG_LEVEL: '', API_KEY: undefined };
      expect(complete(environment)).toMatchObject({ PORT: '82', LOG_LEVEL: '', API_KEY: 'a b' });
    });
  });

  it('changes nothing without the file', async () => {
    await withProject(undefined, (complete, folder) => {
      expect(complete({ PORT: '82' })).toEqual({ PORT: '82', PROJECT_DIR: folder });
    });
  });

  it.each([
    ['this is not a variable\nPORT=81\n', 1],
    ['PORT=81\n\nPORT\n', 3],
    ['API_KEY=\nnot a variable\n', 2],
    ["A='one\ntwo'\n# three\n-x=1\n", 4],
  ])('rejects a line that is no variable: %j', async (text, line) => {
    await withProject(text, (complete, folder) => {
      expect(() => complete()).toThrow(`${folder}/.env:${line}: a line must be NAME=value`);
    });
  });

  it('accepts values in quotes over several lines, Windows line ends and a byte order mark', async () => {
    await withProject('\u{FEFF}A="one\ntwo"\r\n  B = 3 # three\r\n', (complete) => {
      expect(complete()).toMatchObject({ A: 'one\ntwo', B: '3' });
    });
  });

  it('rejects a folder that does not exist', () => {
    expect(() => withEnvFile({ PROJECT_DIR: '/nowhere' })).toThrow('/nowhere, is not a folder');
  });

  it('never takes the folder of the project from the file in it', async () => {
    await withProject('PROJECT_DIR=other\n', (complete, folder) => {
      expect(complete()['PROJECT_DIR']).toBe(folder);
    });
  });

  it('makes relative paths start in the folder of the project', async () => {
    await withProject('API_KEYS_FILE=keys.yaml\nDATA_DIR=/var/lib/querygate\n', (complete, folder) => {
      const { apiKeysFile, dataDir } = readConfig(complete());
      expect([apiKeysFile, dataDir]).toEqual([path.join(folder, 'keys.yaml'), '/var/lib/querygate']);
    });
  });

  it('uses endpoint-settings.json of the project, unless a variable names another file', async () => {
    await withTemporaryFolder(async (folder) => {
      const fileFor = (environment: Environment): string | undefined =>
        readConfig({ PROJECT_DIR: folder, ...environment }).endpointSettingsFile;
      expect(fileFor({})).toBeUndefined();
      await writeFile(path.join(folder, 'endpoint-settings.json'), '{}');
      expect(fileFor({})).toBe(path.join(folder, 'endpoint-settings.json'));
      expect(fileFor({ ENDPOINT_SETTINGS_FILE: 'other.json' })).toBe(path.join(folder, 'other.json'));
    });
  });
});
