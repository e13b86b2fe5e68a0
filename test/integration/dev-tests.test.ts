import { DevProcess } from '../support/dev-process.js';
import { QUERYGATE } from '../support/run-cli.js';
import { startProcess } from '../support/start-process.js';
import { TestedProject } from '../support/tested-project.js';
import { openForEach } from '../support/opened.js';

const test = (people: number): string => `
rows: { visits: [{ at: 2026-05-17T10:00:00Z, city: Rome, people: 1, share: 1 }] }
calls:
  - name: the people of a city
    only: [people]
    rows: [{ people: ${people} }]
`;

const project = openForEach(() => TestedProject.create());

describe('querygate dev', () => {
  it('runs the tests of what changed, and shows in the terminal and the console what differs', async () => {
    const dev = DevProcess.start(project.folder, { environment: { RECORD_CALLS: 'on' } });
    try {
      await dev.until(/checked +all/);
      await project.write({ 'tests/visits.yaml': test(2) });
      await dev.until(/failed {2}tests\/visits\.yaml {2}1 call/);
      await dev.until(/\+ {2}1/);
      await dev.untilState('the console has a fault', ({ endpoints }) =>
        endpoints.some((each) => each.name === 'visits' && (each as { faults?: number }).faults === 1),
      );
      const { body } = await dev.get('/api/dev/endpoints/visits');
      expect(body).toMatchObject({
        findings: {
          faults: [expect.stringMatching(/^tests\/visits\.yaml: the people of a city\nthe rows differ/)],
        },
      });
      const source = await project.read('endpoints/visits.sql');
      const doubled = source.replace('SELECT city, people,', 'SELECT city, 2 * people AS people,');
      await project.write({ 'endpoints/visits.sql': doubled });
      await dev.until(/ok {2}tests\/visits\.yaml {2}1 call/);
      await dev.untilState('the console has no fault', ({ endpoints }) =>
        endpoints.every((each) => (each as { faults?: number }).faults === 0 || each.name !== 'visits'),
      );
      await project.write({ 'tests/visits.yaml': test(3) });
      await dev.untilState('the console has a fault again', ({ endpoints }) =>
        endpoints.some((each) => each.name === 'visits' && (each as { faults?: number }).faults === 1),
      );
      await project.delete('tests/visits.yaml');
      await dev.untilState('the fault went with its file', ({ endpoints }) =>
        endpoints.every((each) => (each as { faults?: number }).faults === 0 || each.name !== 'visits'),
      );
    } finally {
      await dev.stop();
    }
  }, 120_000);
});

describe('querygate test --watch', () => {
  it('runs again what a change concerns, also of a schema file, until it is ended', async () => {
    await project.write({
      'tests/visits.yaml': test(1),
      'tests/other.yaml': 'calls:\n  - endpoint: visits\n    rows: []\n',
    });
    const watching = startProcess([QUERYGATE, 'test', '--watch', '--project', project.folder]);
    await watching.untilWritten(/2 calls passed in 2 files\n/);
    await project.write({ 'tests/visits.yaml': test(2) });
    await watching.untilWritten(/1 of 1 call failed in 1 file\n/);
    await project.write({ 'clickhouse-schema/0002_more.sql': 'ALTER TABLE visits ADD COLUMN more UInt8;\n' });
    await watching.untilWritten(/1 of 2 calls failed in 2 files\n/);
    await project.delete('endpoints/visits.sql');
    await watching.untilWritten(/unknown endpoint visits/);
    watching.child.kill('SIGINT');
    expect(await watching.ended).toBe(130);
  }, 120_000);
});
