import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { escapeXml } from '../../src/commands/xml.js';

/** The queries of endpoints, each with columns that some settings would change. */
export const QUERIES: Readonly<Record<string, readonly [columns: string, sql: string, more?: string]>> = {
  groups: [
    'groups: UInt64, rows: UInt64',
    'SELECT count() AS groups, sum(c) AS rows FROM (SELECT toString(number) AS s, count() AS c FROM numbers(200000) GROUP BY s)',
  ],
  rows: [
    "n: UInt64, d: DateTime('UTC'), s: Nullable(String)",
    'SELECT n, d, s FROM shop ORDER BY n',
    'pages: { by: [n] }',
  ],
  distinct: [
    'c: UInt64, d: UInt64',
    'SELECT count() AS c, assumeNotNull((SELECT count(DISTINCT number % 30000) FROM numbers(100000))) AS d FROM (SELECT DISTINCT number FROM numbers(100000))',
  ],
  joined: [
    'n: UInt64, k: UInt64, v: String',
    'SELECT a.n AS n, b.k AS k, b.v AS v FROM shop AS a LEFT JOIN pairs AS b ON a.n = b.k ORDER BY n, v',
  ],
  inner: [
    'n: UInt64, v: String',
    'SELECT a.n AS n, b.v AS v FROM shop AS a INNER JOIN pairs AS b ON a.n = b.k ORDER BY n, v',
  ],
  nulls: [
    'a: UInt64, b: Nullable(Int64), c: UInt8',
    "SELECT countIf(s IN (NULL, 'b')) AS a, sum(if(n = 1, NULL, toInt64(n))) AS b, (NULL IN (NULL)) IS NULL AS c FROM shop",
  ],
  times: [
    's: String, t: DateTime, b: String, p: DateTime64(3)',
    "SELECT toString(d) AS s, toDateTime('2026-01-01 00:30:00') AS t, toString(true) AS b, parseDateTime64BestEffort('2026-05-17T10:00:00.5') AS p FROM shop WHERE n = 1",
  ],
  versions: ['id: UInt64, v: UInt64', 'SELECT id, v FROM versions ORDER BY id, v'],
  numbers: [
    'd: Decimal(18, 4), t: String, q: Float64, m: Map(String, UInt64)',
    "SELECT toDecimal64(1.5, 4) AS d, toString(toDecimal64(1.5, 4)) AS t, 1.25 AS q, map('a', toUInt64(1)) AS m FROM shop WHERE n = 1",
  ],
  json: [
    'j: String, x: Array(String)',
    `SELECT toJSONString(map('a', n)) AS j, splitByChar(',', 'a,b,c', 2) AS x FROM shop ORDER BY n`,
  ],
  united: ['n: UInt8', 'SELECT n FROM (SELECT 1 AS n UNION ALL SELECT 1 UNION ALL SELECT 2) ORDER BY n'],
  empty: ['s: UInt64, c: UInt64', 'SELECT sum(n) AS s, count() AS c FROM shop WHERE n > 1000'],
  aliases: [
    'n: UInt64, id: UInt64',
    'SELECT id AS n, n AS id FROM (SELECT number AS id, toUInt64(number % 3) AS n FROM numbers(6)) WHERE n < 2 ORDER BY n, id',
  ],
  positional: ['n: UInt64', 'SELECT n FROM shop GROUP BY 1 ORDER BY 1 DESC'],
};
/** The statements that make its tables. */
export const TABLES = [
  "CREATE TABLE shop (n UInt64, d DateTime('UTC'), s Nullable(String)) ENGINE = MergeTree ORDER BY n",
  "INSERT INTO shop SELECT number, toDateTime('2026-05-17 10:00:00', 'UTC') + number, if(number % 3 = 0, NULL, char(97 + number)) FROM numbers(9)",
  'CREATE TABLE pairs (k UInt64, v String) ENGINE = MergeTree ORDER BY k',
  "INSERT INTO pairs VALUES (1, 'x'), (1, 'y'), (3, 'z')",
  'CREATE TABLE versions (id UInt64, v UInt64) ENGINE = ReplacingMergeTree(v) ORDER BY id',
  'SYSTEM STOP MERGES versions',
  'INSERT INTO versions VALUES (1, 1), (2, 1)',
  'INSERT INTO versions VALUES (1, 2)',
];

/** Writes the endpoint files of a project. */
export async function writeEndpoints(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'endpoints'));
  for (const [index, [name, [columns, query, more = '']]] of Object.entries(QUERIES).entries()) {
    const id = `5b2f4a10-0000-4000-8000-${String(index).padStart(12, '0')}`;
    await writeFile(
      path.join(folder, 'endpoints', `${name}.sql`),
      `/*\nname: ${name}\nid: ${id}\nsummary: Tested.\ncolumns:\n${columns
        .split(/, (?=\w+: )/)
        .map((column) => `  ${column.replace(/: (.*)$/, ': "$1"')}\n`)
        .join(
          '',
        )}caching: until-changed\nmaxRows: 5\nsandboxing: enabled\ntables: true\nexports: { maxRows: 100, maxSeconds: 20 }\n${more}\n*/\n${query}\n`,
    );
  }
}

/** Settings of a profile. */
export type Profile = readonly (readonly [name: string, value: string])[];

const setting = ([name, value]: Profile[number]): string => `<${name}>${escapeXml(value)}</${name}>`;

/** A users file of readers, each with the settings and the constraints of a profile of its own. */
export function usersXml(
  users: Readonly<Record<string, Profile>>,
  constraints: Readonly<Record<string, string>> = {},
): string {
  const names = Object.keys(users);
  const profiles = names.map(
    (name) =>
      `<${name}><readonly>2</readonly>${(users[name] ?? []).map(setting).join('')}${constraints[name] ?? ''}</${name}>`,
  );
  const all = names.map(
    (name) =>
      `<${name}><password>secret</password><networks><ip>127.0.0.1</ip></networks><profile>${name}</profile>` +
      `<quota>default</quota><grants><query>GRANT SELECT, SHOW ON *.*</query></grants></${name}>`,
  );
  return `<clickhouse><profiles>${profiles.join('')}</profiles><users>${all.join('')}</users></clickhouse>`;
}
