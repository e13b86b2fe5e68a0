import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';

import { sharedSqlGateway } from '../../support/sql-gateway.js';

const KEYS = { removed: {}, narrowed: {}, pinned: {} };

/** Its rows come for minutes. */
const ROWS: Parameters<typeof sharedSqlGateway>[1] = {
  endpoints: {
    rows: [
      [
        'parameters: { text: { kind: string, description: Without this one. } }',
        ...['columns: { n: UInt64 }', 'tables: true', 'example: {}'],
      ],
      'SELECT number AS n FROM numbers(50000000) WHERE sleepEachRow(0.000004) = 0 [[ AND toString(number) != @text ]]',
    ],
    other: [['columns: { n: UInt8 }', 'example: {}'], 'SELECT 1 AS n'],
  },
  keys: KEYS,
};
const opened = sharedSqlGateway({ SQL_MAX_ROWS: '100000000' }, ROWS);

const CHANGES: readonly (readonly [name: keyof typeof KEYS, change: object | undefined, code: string])[] = [
  ['removed', undefined, '516'],
  ['narrowed', { endpoints: ['other'] }, '497'],
  ['pinned', { fixed: { text: '1' } }, '497'],
];

test.each(CHANGES)('a statement that runs ends when its key is %s', async (name, change, code) => {
  const { sqlUrl, folder, gateway } = opened();
  const headers = { Authorization: `Bearer qg_${name}` };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(sqlUrl, { method: 'POST', headers }, (response) => {
      response.once('error', () => undefined);
      response.once('readable', () => {
        changeKey(path.join(folder, 'keys.json'), name, change)
          .then(() => gateway.reload())
          .then(({ ok, problems }) => {
            if (!ok) reject(new Error(JSON.stringify(problems)));
            let end = '';
            response.setEncoding('latin1').on('data', (chunk: string) => (end = (end + chunk).slice(-2000)));
            response.once('close', () => {
              resolve(`${response.complete ? 'complete' : 'broken off'} ${end}`);
            });
          }, reject);
      });
    });
    sent.once('error', reject).end('SELECT * FROM rows');
  });
  expect(text.slice(0, 10) + text.slice(-300)).toMatch(
    new RegExp(`^broken off[^]*Code: ${code}\\. DB::Exception: Th\\w+ (?:API )?key`),
  );
});

async function changeKey(file: string, name: string, change: object | undefined): Promise<void> {
  const { keys } = JSON.parse(await readFile(file, 'utf8')) as {
    readonly keys: readonly { readonly name: string }[];
  };
  const changed = keys.flatMap((key) => (key.name !== name ? key : change ? { ...key, ...change } : []));
  await writeFile(file, JSON.stringify({ keys: changed }));
}
