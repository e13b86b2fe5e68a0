import { jsonTable } from '../../../../src/commands/loading/json-table.js';

describe('jsonTable', () => {
  const table = {
    columns: [
      { name: 'a`b', type: 'String', defaultExpression: '' },
      { name: 'path', type: 'String', defaultExpression: "JSONExtractString(metadata, 'path')" },
    ],
    computed: [{ name: 'day', type: 'Date', kind: 'MATERIALIZED' as const, expression: 'toDate(timestamp)' }],
  };

  it('declares the columns with their defaults, the computed ones as aliases, and puts the lines unescaped between tags', () => {
    const sql = jsonTable(table, [`{"a":"it's \\\\ $$"}`, '{}']).replaceAll(/\$lines_[0-9a-f]{32}\$/g, '|');
    expect(sql).toBe(
      "format(JSONEachRow, |`a\\`b` String, `path` String DEFAULT JSONExtractString(metadata, 'path'), `day` Date ALIAS toDate(timestamp)|, " +
        `|{"a":"it's \\\\ $$"}\n{}|)`,
    );
  });

  it('uses a different tag each time, so that no line can end the text', () => {
    const tags = Array.from({ length: 100 }, () => /\$lines_\w+\$/.exec(jsonTable(table, []))?.[0]);
    expect(new Set(tags).size).toBe(100);
  });
});
