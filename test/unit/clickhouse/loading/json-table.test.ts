import { jsonTable } from '../../../../src/clickhouse/loading/json-table.js';

describe('jsonTable', () => {
  const columns = [
    { name: 'a`b', type: 'String', defaultExpression: '' },
    { name: 'path', type: 'String', defaultExpression: "JSONExtractString(metadata, 'path')" },
  ];

  it('declares the columns with their defaults and puts the lines unescaped between tags', () => {
    const sql = jsonTable(columns, [`{"a":"it's \\\\ $$"}`, '{}']).replaceAll(/\$lines_[0-9a-f]{32}\$/g, '|');
    expect(sql).toBe(
      "format(JSONEachRow, |`a\\`b` String, `path` String DEFAULT JSONExtractString(metadata, 'path')|, " +
        `|{"a":"it's \\\\ $$"}\n{}|)`,
    );
  });

  it('uses a different tag each time, so that no line can end the text', () => {
    const tags = Array.from({ length: 100 }, () => /\$lines_\w+\$/.exec(jsonTable(columns, []))?.[0]);
    expect(new Set(tags).size).toBe(100);
  });
});
