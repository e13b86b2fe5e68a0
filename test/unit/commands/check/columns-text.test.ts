import { columnsText, withColumns, withId } from '../../../../src/commands/check/columns-text.js';
import { readHeader } from '../../../../src/endpoint/sql-file/header.js';

const COLUMNS = [
  { name: 'day', type: 'Date' },
  { name: 'at', type: "DateTime64(6, 'UTC')" },
];

const ODD = [
  'true',
  'Null',
  '1',
  'a b',
  'a: b',
  '# a',
  '*/',
  '- a',
  '"a"',
  "a'b",
  'é',
  'a\\b',
  '{',
  'a\nb',
  '~',
];

describe('columnsText', () => {
  it('quotes only what YAML would read as something else', () => {
    const columns = [...COLUMNS, { name: 'tags', type: 'Array(LowCardinality(String))' }];
    expect(columnsText(columns)).toBe(
      `columns:\n  day: Date\n  at: DateTime64(6, 'UTC')\n  tags: Array(LowCardinality(String))`,
    );
  });
});

describe('withId', () => {
  const ID = '61f0c404-5cb3-41e7-907b-a6006ad3db99';

  it.each([
    ['several lines', '/*\nname: x\n*/\nSELECT 1', `/*\nid: ${ID}\nname: x\n*/\nSELECT 1`],
    ['CRLF', '/*\r\n  name: x\r\n  tags: []\r\n*/', `/*\r\n  id: ${ID}\r\n  name: x\r\n  tags: []\r\n*/`],
    ['the first line of the comment', '/* name: x\n summary: y */', `/* id: ${ID}\n name: x\n summary: y */`],
  ])('adds an id before the name, and changes nothing else: %s', (_what, source, expected) => {
    expect(withId(source, ID)).toBe(expected);
  });

  it.each([
    ['an id', `/*\nid: ${ID}\nname: x\n*/`],
    ['an empty id', '/*\nid:\nname: x\n*/'],
    ['no name', '/*\nsummary: x\n*/'],
    ['an object in braces', '/* { name: x } */'],
    ['no YAML', '/* a: b: c */'],
    ['no header', 'SELECT 1'],
  ])('changes no header with %s', (_what, source) => {
    expect(withId(source, ID)).toBeUndefined();
  });
});

describe('withColumns', () => {
  it.each([
    ['several lines', '/*\nname: x\n*/\nSELECT 1', '/*\nname: x', '\n', '\n*/\nSELECT 1'],
    ['CRLF', '/*\r\nname: x\r\n*/\r\nSELECT 1', '/*\r\nname: x', '\r\n', '\r\n*/\r\nSELECT 1'],
    [
      'an indentation',
      '/*\n  # why\n  name: x\n*/SELECT 1',
      '/*\n  # why\n  name: x',
      '\n  ',
      '\n*/SELECT 1',
    ],
    ['one line', '/* name: x */ SELECT 1', '/* name: x', '\n ', ' */ SELECT 1'],
    ['a comment at the end', '/*\nname: x # why */ SELECT 1', '/*\nname: x # why', '\n', ' */ SELECT 1'],
    ['a byte order mark', '\u{FEFF}/*\nname: x\n*/SELECT 1', '\u{FEFF}/*\nname: x', '\n', '\n*/SELECT 1'],
  ])('adds them after the last key of a header with %s', (_what, source, before, newline, after) => {
    const lines = ['columns:', '  day: Date', `  at: DateTime64(6, 'UTC')`];
    expect(withColumns(source, COLUMNS)).toBe(`${before}${newline}${lines.join(newline)}${after}`);
  });

  it('keeps every name and type as it is', () => {
    const odd = ODD.map((name) => ({ name, type: `Enum8('${name}' = 1)` }));
    expect(readHeader(withColumns('/*\nname: x\n*/SELECT 1', odd) ?? '').value).toEqual({
      name: 'x',
      columns: Object.fromEntries(odd.map(({ name, type }) => [name, type])),
    });
  });

  it('returns undefined for a header that has columns, or to which no text can be added', () => {
    expect(withColumns('/*\nname: x\ncolumns: { a: Date }\n*/SELECT 1', COLUMNS)).toBeUndefined();
    expect(withColumns('/*\nname: x\n...\n*/SELECT 1', COLUMNS)).toBeUndefined();
    expect(withColumns('/* { name: x } */ SELECT 1', COLUMNS)).toBeUndefined();
  });
});
