import { FORMAT_NAMES } from '../../../src/gateway/formats/formats.js';
import { readRows } from '../../support/read-formats.js';
import { openSandbox } from '../sandbox/sandbox-under-test.js';
import { openForAll } from '../../support/opened.js';

const NOW = new Date('2096-03-01T12:00:00Z');
const sandbox = openForAll(() => openSandbox('logs.all', { project: 'aurora' }, NOW));

beforeAll(async () => {
  await sandbox.database.insert(
    'edge_logs',
    Array.from({ length: 150 }, (_, index) => ({
      project: 'aurora',
      timestamp: new Date(NOW.getTime() - (index + 1) * 1000).toISOString(),
      event_message: `line ${index}`,
    })),
  );
});

describe('a caller’s own SQL', () => {
  it.each(FORMAT_NAMES)('is returned in %s, in its order and up to the row cap', async (format) => {
    const body = await sandbox.body(
      'WITH r AS (SELECT event_message AS line, timestamp AS time FROM edge_source) SELECT line, 1 / 0 AS ratio FROM r ORDER BY time ASC',
      format,
    );
    const rows = await readRows(format, body);
    expect(rows).toEqual(
      Array.from({ length: 100 }, (_, index) => ({ line: `line ${149 - index}`, ratio: null })),
    );
  });

  it.each(FORMAT_NAMES)('may not contain a FORMAT clause, in %s', async (format) => {
    await expect(sandbox.body('SELECT 1 AS n FORMAT CSV', format)).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
    });
  });
});
