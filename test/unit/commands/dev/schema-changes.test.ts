import { SchemaChanges } from '../../../../src/commands/dev/schema-changes.js';

const FILES = ['/p/clickhouse-schema/0001_a.sql'];

describe('SchemaChanges', () => {
  it('shows an invalid file, and applies the next change of it', async () => {
    const events: string[] = [];
    let applied: Promise<readonly string[]> = Promise.reject(new Error('0001_a.sql:1: syntax'));
    const changes = new SchemaChanges({
      migrate: () => applied,
      folder: '/p',
      print: (text) => events.push(`print ${text}`),
      notify: (part, notice) => events.push(`notify ${part} ${notice ?? 'nothing'}`),
      onChanged: () => Promise.resolve(void events.push('changed')),
    });
    await changes.onSchema(FILES);
    expect(events).toEqual(['print 0001_a.sql:1: syntax', 'notify schema 0001_a.sql:1: syntax']);
    applied = Promise.resolve([]);
    await changes.onSchema(FILES);
    expect(events.at(-1)).toBe('notify schema nothing');
  });
});
