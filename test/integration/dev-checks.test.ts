import { DevProcess } from '../support/dev-process.js';
import { pollUntil } from '../support/poll-until.js';
import { ProjectFolder } from '../support/project-folder.js';
import { makeTemporaryFolder } from '../support/temporary-folder.js';

const TABLE = 'CREATE TABLE items (at DateTime) ENGINE = MergeTree PARTITION BY toDate(at) ORDER BY at;\n';

let project: ProjectFolder;
let dev: DevProcess;

const write = (file: string, text: string): Promise<void> => project.write({ [file]: text });

/** An endpoint without columns and id. */
const endpoint = (name: string, select: string): string => `/*
name: ${name}
summary: For a test of checks.
*/
${select}
`;

/** Waits until everything that was saved before is checked, and returns what was written about it since. */
async function checksAfter(save: () => Promise<unknown>, last: string): Promise<readonly string[]> {
  const { length } = dev.process.stdout();
  await save();
  await write(`endpoints/${last}.sql`, endpoint(last, `SELECT '${last}' AS value`));
  await dev.until(new RegExp(`checked +${last}:`));
  return dev.process.stdout().slice(length).split('\n');
}

beforeAll(async () => {
  project = new ProjectFolder(await makeTemporaryFolder());
  await project.write({
    'clickhouse-schema/0001_items.sql': TABLE,
    'endpoints/one.sql': endpoint('one', 'SELECT 1 AS value'),
  });
  dev = DevProcess.start(project.folder, { environment: { LOG_LEVEL: 'info', RECORD_CALLS: 'on' } });
  await dev.until(/checked +all/);
});

afterAll(async () => {
  dev.process.child.kill('SIGKILL');
  await dev.process.ended;
  await project.remove();
});

it('reports the check of each of the files that are saved together once', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `union-${index}`);
  const select = (name: string): string =>
    `SELECT '${name}' AS value UNION ALL SELECT 'b' AS value ORDER BY value`;
  const save = async (): Promise<void> => {
    for (const name of names) await write(`endpoints/${name}.sql`, endpoint(name, select(name)));
  };
  const lines = await checksAfter(save, 'zz-after-unions');
  const matching = (pattern: RegExp): readonly string[] =>
    lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).sort();
  expect(matching(/^checked +(union-\d):/)).toEqual(names);
  expect(matching(/^warning: (union-\d): ORDER BY/)).toEqual(names);
});

it('reports a check under the name of the endpoint that was saved, whatever others have its query', async () => {
  const save = (name: string, summary: string) => async (): Promise<void> => {
    const text = endpoint(name, 'SELECT 7 AS value').replace('For a test', summary);
    await write(`endpoints/${name}.sql`, text);
  };
  const checked = async (last: string, ...saved: readonly (() => Promise<void>)[]): Promise<unknown> => {
    const lines = await checksAfter(() => Promise.all(saved.map((each) => each())), last);
    return lines.flatMap((line) => /^checked +(same\S*):/.exec(line)?.[1] ?? []).sort();
  };
  expect(await checked('zz-both', save('same', 'One'), save('same@2', 'Two'))).toEqual(['same', 'same@2']);
  expect(await checked('zz-one', save('same', 'Three'))).toEqual(['same']);
  expect(await checked('zz-two', save('same@2', 'Four'))).toEqual(['same@2']);
});

it('warns, on the terminal and in the console, that results are not composed of pieces, as check does', async () => {
  const header = `parameters:
  from: { kind: timestamp, default: '2026-01-01', description: Begin. }
  to: { kind: timestamp, default: '2026-01-02', description: End. }
caching: until-changed
pieces: { table: items, time: at, bucket: at, from: from, to: to }
columns: { at: DateTime, n: UInt64 }
`;
  const select = `SELECT toStartOfHour(at) AS at, count() AS n FROM items
WHERE at >= @from AND at < @to GROUP BY at ORDER BY at`;
  const text = endpoint('hours', select).replace('*/', `${header}*/`);
  const lines = await checksAfter(() => write('endpoints/hours.sql', text), 'zz-hours');
  const warnings = ['WHERE uses at', 'its results are not composed of pieces'].map(
    (text) => expect.stringContaining(text) as string,
  );
  expect(lines.filter((line) => line.startsWith('warning: hours'))).toEqual(warnings);
  const { body } = await dev.get('/api/dev/endpoints/hours');
  expect(body).toMatchObject({ findings: { warnings } });
});

it('shows the line of a mistake in the file as it is, also where only lines moved since the check', async () => {
  const paged = endpoint('moved', 'SELECT 1 AS id FROM numbers(2)').replace('*/', 'pages: { by: [id] }\n*/');
  await checksAfter(() => write('endpoints/moved.sql', paged), 'zz-moved');
  const untilFaultIn = (source: string): Promise<true> => {
    const line = source.slice(0, source.indexOf('pages:')).split('\n').length;
    return pollUntil(`the fault of moved is in line ${line}`, async () => {
      const { body } = await dev.get('/api/dev/endpoints/moved');
      const { findings } = body as { readonly findings: { readonly faults: readonly string[] } | null };
      return findings?.faults[0]?.startsWith(`endpoints/moved.sql:${line}:`) ? true : undefined;
    });
  };
  const source = await project.read('endpoints/moved.sql');
  await untilFaultIn(source);
  const moved = source.replace('name: moved', '# A comment.\nname: moved');
  await write('endpoints/moved.sql', moved);
  await untilFaultIn(moved);
});

it('reports why the columns of a file cannot be found once', async () => {
  const lines = await checksAfter(
    () => write('endpoints/wrong.sql', endpoint('wrong', 'SELECT no_such_column')),
    'zz-after-wrong',
  );
  expect(lines.filter((line) => line.includes('no_such_column`'))).toHaveLength(1);
  await project.delete('endpoints/wrong.sql');
  await dev.until(/all files are valid|removed wrong/);
});

it('says of a new file what it wrote and found alone, also while tests of other files run', async () => {
  const before = dev.process.stderr();
  await write('tests/one.yaml', 'calls:\n  - rows: [{ value: 1 }]\n');
  await dev.until(/ok {2}tests\/one\.yaml/);
  const paged = endpoint('paged', 'SELECT toDate(0) AS at, 1 AS id').replace(
    '*/',
    'pages: { by: [at, id] }\n*/',
  );
  const lines = await checksAfter(async () => {
    await write('endpoints/paged.sql', paged);
    await write('tests/one.yaml', 'calls:\n  - rows: [{ value: 2 }]\n');
    await dev.until(/failed {2}tests\/one\.yaml/);
  }, 'zz-paged');
  expect(lines.filter((line) => /did not run|^error/.test(line))).toEqual([]);
  expect(dev.process.stderr()).toBe(before);
  await dev.until(/checked +paged:/);
});

it('runs the tests of what changed, and shows in the terminal and the console what differs', async () => {
  const untilFaults = async (expected: number): Promise<void> => {
    await dev.untilState(`one has ${expected} faults`, ({ endpoints }) =>
      endpoints.some(({ name, faults }) => name === 'one' && faults === expected),
    );
  };
  await untilFaults(1);
  expect((await dev.get('/api/dev/endpoints/one')).body).toMatchObject({
    findings: { faults: [expect.stringMatching(/^tests\/one\.yaml: call 1\nthe rows differ/)] },
  });
  const source = await project.read('endpoints/one.sql');
  await write('endpoints/one.sql', source.replace('SELECT 1', 'SELECT 2'));
  await dev.until(/failed {2}tests\/one\.yaml[^]*ok {2}tests\/one\.yaml/);
  await untilFaults(0);
  await write('tests/one.yaml', 'calls:\n  - rows: [{ value: 3 }]\n');
  await untilFaults(1);
  await project.delete('tests/one.yaml');
  await untilFaults(0);
});

describe('a file that somebody is writing', () => {
  const file = 'endpoints/begun.sql';
  const text = endpoint('begun', "SELECT 'begun' AS value");
  let offered = '';

  it('is offered a template with a new id while it is empty, which is no mistake', async () => {
    await write(file, '');
    [, offered = ''] = await dev.until(
      /waiting {3}for the text of endpoints\/begun\.sql[^]*\nname: begun\nid: (\S{36})\n/,
    );
    expect((await dev.state()).problems).toEqual([]);
  });

  it('is awaited while its header has no end', async () => {
    await write(file, text.slice(0, 40));
    await dev.until(/waiting {3}for the rest of endpoints\/begun\.sql: its header has no end yet/);
    expect((await dev.state()).problems).toEqual([]);
  });

  it('gets the id that is missing, and is served', async () => {
    await write(file, text);
    const [, written = ''] = await dev.until(
      /wrote {5}the id (\S{36}) into the header of endpoints\/begun\.sql/,
    );
    await dev.untilValue('begun', 'begun');
    expect(await project.read(file)).toContain(`/*\nid: ${written}\nname: begun\n`);
    expect(written).not.toBe(offered);
    expect((await dev.state()).problems).toEqual([]);
  });
});
