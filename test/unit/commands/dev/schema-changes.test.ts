import type { Applied } from '../../../../src/commands/dev/development-database.js';
import {
  SchemaChanges,
  type SchemaChangesDependencies,
} from '../../../../src/commands/dev/schema-changes.js';

const FILES = ['/p/clickhouse-schema/0001_a.sql'];

class ChangesUnderTest {
  readonly events: string[] = [];
  readonly answers: ((isYes: boolean) => void)[] = [];
  outcome: () => Promise<Applied> = () => Promise.resolve({ applied: ['0001_a.sql'] });

  changes(parts: Partial<SchemaChangesDependencies> = {}): SchemaChanges {
    return new SchemaChanges({
      database: {
        migrate: () => this.outcome(),
        recreate: () => Promise.resolve(void this.events.push('recreate')),
      },
      folder: '/p',
      ask: () => new Promise((resolve) => this.answers.push(resolve)),
      print: (text) => this.events.push(`print ${text}`),
      notify: (part, notice) => this.events.push(`notify ${part} ${notice ?? 'nothing'}`),
      onChanged: () => Promise.resolve(void this.events.push('changed')),
      ...parts,
    });
  }
}

describe('SchemaChanges', () => {
  it('drops the database only after a yes, and asks once while nobody answers', async () => {
    const under = new ChangesUnderTest();
    under.outcome = () => Promise.resolve({ differs: '0001_a.sql differs.' });
    const changes = under.changes();
    changes.onSchema(FILES);
    changes.onSchema(FILES);
    await changes.settled;
    expect([under.answers.length, under.events.includes('recreate')]).toEqual([1, false]);
    under.answers[0]?.(false);
    await new Promise(setImmediate);
    changes.onSchema(FILES);
    await changes.settled;
    under.answers[1]?.(true);
    await new Promise(setImmediate);
    await changes.settled;
    expect(under.events.slice(-5)).toEqual([
      'recreate',
      'notify schema nothing',
      'notify demo nothing',
      'print created the development database again',
      'changed',
    ]);
  });

  it('shows an invalid file, and applies the next change of it', async () => {
    const under = new ChangesUnderTest();
    const changes = under.changes();
    under.outcome = () => Promise.reject(new Error('0001_a.sql:1: syntax'));
    changes.onSchema(FILES);
    await changes.settled;
    expect(under.events).toEqual(['print 0001_a.sql:1: syntax', 'notify schema 0001_a.sql:1: syntax']);
    under.outcome = () => Promise.resolve({ applied: [] });
    changes.onSchema(FILES);
    await changes.settled;
    expect(under.events.at(-1)).toBe('notify schema nothing');
  });
});
