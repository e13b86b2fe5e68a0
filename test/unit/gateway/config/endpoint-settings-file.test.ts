import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readEndpointSettingsFile } from '../../../../src/gateway/config/endpoint-settings-file.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

/** The settings in a file with this text, or the message of the error. */
const read = async (text: string): Promise<unknown> => {
  let outcome: unknown;
  await withTemporaryFolder(async (folder) => {
    const file = path.join(folder, 'settings.json');
    await writeFile(file, text);
    outcome = await readEndpointSettingsFile(file).then(
      ({ defaults, overrides }) => ({ ...defaults, ...Object.fromEntries(overrides) }),
      (error: unknown) => (error as Error).message,
    );
  });
  return outcome;
};

describe('readEndpointSettingsFile', () => {
  it('reads the settings of each endpoint', async () => {
    const settings = {
      'usage.api-counts': { maxRows: 500, caching: 60, warming: 20, sandboxing: 'disabled' },
      'logs.all': { caching: 'disabled', warming: 0, tables: true },
      'e1d0c9b8-a7f6-4e5d-8c4b-3a2918f7e655': {},
    };
    expect(await read(JSON.stringify(settings))).toEqual(settings);
  });

  it('reads a file that overrides nothing', async () => {
    expect(await read('{}')).toEqual({});
  });

  it('reads the default of all endpoints, beside the settings of one', async () => {
    const settings = {
      ...{ unknownParameters: 'reject', numbers: 'text' },
      'logs.all': { unknownParameters: 'ignore', numbers: 'plain' },
    };
    expect(await read(JSON.stringify(settings))).toEqual(settings);
    const invalid = await read('{"unknownParameters":"strict","logs.all":{"unknownParameters":true}}');
    expect(invalid).toContain('"unknownParameters" must be one of [ignore, reject]');
    expect(invalid).toContain('"logs.all.unknownParameters" must be one of [ignore, reject]');
  });

  it.each([
    ['an unknown setting', { maxRow: 5 }, 'did you mean `logs.all.maxRows`?'],
    ['a setting that is like none', { depth: 5 }, 'the keys are maxRows, '],
    ['a row cap of 0', { maxRows: 0 }, '"logs.all.maxRows" must be greater than or equal to 1'],
    ['a row cap that is a string', { maxRows: '5' }, '"logs.all.maxRows" must be a number'],
    ['a row cap that is not whole', { maxRows: 1.5 }, '"logs.all.maxRows" must be an integer'],
    [
      'caching that is false',
      { caching: false },
      '"logs.all.caching" must be one of [disabled, until-changed, number, object]',
    ],
    ['caching of 0 seconds', { caching: 0 }, '"logs.all.caching"'],
    ['warming that is disabled', { warming: 'disabled' }, '"logs.all.warming" must be a number'],
    [
      'sandboxing that is true',
      { sandboxing: true },
      '"logs.all.sandboxing" must be one of [enabled, disabled]',
    ],
    ['tables in words', { tables: 'enabled' }, '"logs.all.tables" must be a boolean'],
    ['no settings', 5, '"logs.all" must be of type object'],
  ])('rejects %s and names the endpoint and the setting', async (_what, settings, message) => {
    expect(await read(JSON.stringify({ 'logs.all': settings }))).toContain(message);
  });

  it('names the setting of all endpoints that was meant, and those that there are', async () => {
    expect(await read('{"nubmers":"text"}')).toContain('did you mean `numbers`?');
    expect(await read('{"strict":true}')).toContain(
      'those of all are unknownParameters, goneAfterSunset, numbers',
    );
  });

  it('lists all problems', async () => {
    const outcome = await read('{"a":{"maxRows":0,"warming":-1},"b":{"cache":1}}');
    expect(outcome).toMatch(/a\.maxRows[^]*a\.warming[^]*b\.cache/);
  });

  it.each(['', '{', 'null', '[]', '7'])('rejects the text %j and names the file', async (text) => {
    expect(await read(text)).toMatch(/^ENDPOINT_SETTINGS_FILE .*settings\.json /);
  });

  it('names a missing file', async () => {
    await expect(readEndpointSettingsFile('/nowhere/settings.json')).rejects.toThrow(
      /^ENDPOINT_SETTINGS_FILE \/nowhere\/settings\.json can’t be read: .*ENOENT/,
    );
  });
});
