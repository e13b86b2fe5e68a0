import { chmod, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { linesOf, useVisits } from '../support/check-sql-file.js';
import { ROOT } from '../support/documentation.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';

const check = useVisits();

describe('the columns of a header without columns', () => {
  const SELECT = 'SELECT at, city, count() AS `null` [[, @device AS device ]]\nFROM visits GROUP BY at, city';
  const header = ['parameters: { device: { kind: string, description: Which. } }'];
  const source = sqlEndpointFile('visits', header, SELECT);

  it('are written into the header with those of optional parts, and every other character stays', async () => {
    const { faults, example, text, columnsWritten } = await check(source);
    expect([faults, example?.rows]).toEqual([[], 1]);
    const columns = [
      'columns:',
      `  at: DateTime64(6, 'UTC')`,
      '  city: String',
      '  "null": UInt64',
      '  device: String',
    ].join('\n');
    expect(text).toBe(source.replace('\n*/', `\n${columns}\n*/`));
    expect(columnsWritten).toEqual({ file: 'endpoints/visits.sql', text: columns });
    const again = await check(text);
    expect([again.faults, again.text, again.columnsWritten]).toEqual([[], text, undefined]);
  });

  it('are those of a group by a column of the caller’s choice, as the page shows it', async () => {
    const page = await readFile(path.join(ROOT, 'docs/how-to/write-an-endpoint.md'), 'utf8');
    const [, recipe = ''] = /of the caller's choice\n\n```sql\n(.+)\n```/.exec(page) ?? [];
    const [, by = ''] = /with `(by: \{ kind: enum, choices: .*?), … \}`/.exec(page) ?? [];
    const select = `SELECT ${recipe}, count() AS n FROM visits GROUP BY value ORDER BY value`;
    const parameters = [`parameters: { ${by}, description: Column. } }`];
    const { faults, warnings, columnsWritten } = await check(sqlEndpointFile('visits', parameters, select));
    expect([faults, warnings]).toEqual([[], []]);
    expect(columnsWritten?.text).toBe('columns:\n  value: String\n  n: UInt64');
  });

  it('have the type of a named tuple on one line', async () => {
    const place = "SELECT CAST((city, 1), 'Tuple(name String, n UInt8)') AS place FROM visits";
    const { faults, columnsWritten, text } = await check(sqlEndpointFile('visits', [], place));
    expect([faults, columnsWritten?.text]).toEqual([[], 'columns:\n  place: Tuple(name String, n UInt8)']);
    expect((await check(text)).faults).toEqual([]);
  });

  it('are found before pages and pieces, which are checked with them', async () => {
    const pages = 'pages: { by: [at desc, city] }';
    const ofPages = await check(sqlEndpointFile('visits', [...header, pages], SELECT));
    expect([ofPages.faults, ofPages.columnsWritten?.text]).toEqual([
      [],
      expect.stringContaining("at: DateTime64(6, 'UTC')"),
    ]);
    const share = 'SELECT city, count() / 2 AS share FROM visits GROUP BY city';
    const inexact = await check(sqlEndpointFile('visits', ['pages: { by: [share] }'], share));
    expect(linesOf(inexact)[0]).toContain('names share, whose type Float64 has no exact text');
    const pieces = [
      ...[
        'caching: until-changed',
        'parameters:',
        '  from: { kind: timestamp, default: 2026-01-01, description: From. }',
      ],
      ...[
        '  to: { kind: timestamp, default: 2027-01-01, description: To. }',
        'pieces: { table: visits, time: at, from: from, to: to, bucket: hour }',
      ],
    ];
    const hours =
      'SELECT toStartOfHour(at) AS hour, count() AS n FROM visits WHERE at >= @from AND at <= @to GROUP BY hour ORDER BY hour';
    const ofPieces = await check(sqlEndpointFile('visits', pieces, hours));
    expect([ofPieces.faults, ofPieces.columnsWritten?.text]).toEqual([
      [],
      expect.stringContaining('hour: DateTime'),
    ]);
  });

  it('are written with the permissions of the file as they were', async () => {
    const { mode, text } = await check(source, { prepare: (file) => chmod(file, 0o640) });
    expect([mode, text.includes('columns:')]).toEqual([0o640, true]);
  });

  it.each([
    ['not to write', { writes: false }, 'the header of endpoints/visits.sql has no columns. Add to it:'],
    [
      'a read-only file',
      { prepare: (file: string) => chmod(file, 0o444) },
      'the header of endpoints/visits.sql has no columns, and the file is read-only. Write them into it:',
    ],
    [
      'a file that has changed',
      { prepare: (file: string) => writeFile(file, `${source} `) },
      'the header of endpoints/visits.sql has no columns, and the file has changed meanwhile, or is not UTF-8. Write them into it:',
    ],
    [
      'a link',
      {
        prepare: async (file: string) => {
          await writeFile(`${file}.target`, source);
          await rm(file);
          await symlink(`${file}.target`, file);
        },
      },
      'the header of endpoints/visits.sql has no columns, and the file is a link, which is not replaced. Write them into it:',
    ],
  ])('are a fault that shows them for %s, and the file stays', async (_what, options, expected) => {
    const { faults, text, example } = await check(source, options);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.split('\n').slice(0, 3)).toEqual([expected, 'columns:', `  at: DateTime64(6, 'UTC')`]);
    expect(text).not.toContain('columns:');
    expect(example?.rows).toBe(1);
  });

  it('are not written where a parameter can be an identifier that is not one of them', async () => {
    const { faults, text } = await check(
      sqlEndpointFile(
        'visits',
        ['parameters: { by: { kind: enum, choices: [city, town], default: city, description: Order. } }'],
        'SELECT city FROM visits ORDER BY {by:Identifier}',
      ),
    );
    expect(faults).toEqual([
      expect.stringMatching(/^endpoints\/visits\.sql:7:34: by is an Identifier and may be town/),
    ]);
    expect(text).not.toContain('columns:');
  });

  it('are a fault with its place where the query is invalid or has two columns of one name', async () => {
    const invalid = await check(sqlEndpointFile('visits', [], 'SELECT town FROM visits'));
    expect(linesOf(invalid)).toEqual([
      expect.stringMatching(
        /^endpoints\/visits\.sql:6:8: the header has no columns, and they could not be determined: Unknown .*`town`/,
      ),
      '    SELECT town FROM visits',
      '           ^^^^',
      expect.stringContaining('47'),
    ]);
    const twice = await check(sqlEndpointFile('visits', [], 'SELECT city, device AS city FROM visits'));
    expect(twice.faults).toEqual(['the query returns two columns city: rename one with AS']);
  });
});
