import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const ALL_KINDS = `/*
name: all-kinds
id: 6d0d3a52-7c1f-4b3e-9a58-1f1c4f7a9e01
summary: Returns its parameters, one of each kind.
parameters:
  word: { kind: string, default: hello, description: A word. }
  count: { kind: integer, minimum: 1, maximum: 50, description: A count. }
  ratio: { kind: number, description: A ratio. }
  price: { kind: decimal, description: A price. }
  flag: { kind: boolean, description: A flag. }
  exact: { kind: boolean, default: true, description: A flag with a default. }
  day: { kind: date, description: A day. }
  since: { kind: timestamp, relativeStep: 5m, description: A time. }
  until: { kind: timestamp, description: A time that is not relative. }
  key: { kind: uuid, description: An id. }
  unit: { kind: enum, choices: [hour, day], description: A unit. }
  zone: { kind: timezone, description: A time zone. }
  match: { kind: regular-expression, maxLength: 100, description: A pattern. }
  sizes: { kind: integer-list, description: Some sizes. }
  units: { kind: enum-list, choices: [hour, day], description: Some units. }
  country: { kind: string, description: A country. }
  city: { kind: string, choicesFrom: { endpoint: cities, column: city }, description: A city of the country. }
  token: { kind: string, secret: true, description: A token. }
  former: { kind: string, deprecated: true, description: No longer used. }
columns: { n: UInt8, word: String, count: Int64, ratio: Float64, price: 'Decimal(38, 9)', flag: Bool, exact: Bool, day: Date32, since: "DateTime64(6, 'UTC')", until: "DateTime64(6, 'UTC')", key: UUID, unit: String, zone: String, match: String, sizes: Array(Int64), units: Array(String), country: String, city: String, token_length: UInt64, former: String }
*/
SELECT 1 AS n, @word AS word [[, @count AS count]] [[, @ratio AS ratio]] [[, @price AS price]] [[, @flag AS flag]],
  @exact AS exact [[, @day AS day]] [[, @since AS since]] [[, @until AS until]] [[, @key AS key]] [[, @unit AS unit]]
  [[, @zone AS zone]] [[, @match AS match]] [[, @sizes AS sizes]] [[, @units AS units]] [[, @country AS country]]
  [[, @city AS city]] [[, length(@token) AS token_length]] [[, @former AS former]]
`;

const CITIES = `/*
name: cities
id: 6d0d3a52-7c1f-4b3e-9a58-1f1c4f7a9e02
summary: The cities of a country.
parameters:
  country: { kind: string, required: true, description: A country. }
columns: { city: String }
example: { country: DE }
*/
SELECT arrayJoin(if(@country = 'DE', ['Berlin', 'Bonn'], ['Lyon', 'Paris'])) AS city
`;

const SECRET = `/*
name: with-secret
id: 6d0d3a52-7c1f-4b3e-9a58-1f1c4f7a9e03
summary: Requires a secret value.
parameters:
  token: { kind: string, secret: true, required: true, description: A token. }
  place: { kind: string, description: A place. }
columns: { token_length: UInt64, place: String }
*/
SELECT length(@token) AS token_length [[, @place AS place]]
`;

/** An endpoint that callers should leave for `cities`. */
const DEPRECATED = `/*
name: old-cities
id: 6d0d3a52-7c1f-4b3e-9a58-1f1c4f7a9e04
summary: Cities.
deprecated: { since: 2026-01-01, sunset: 2099-05-31, successor: cities }
columns: { city: String }
*/
SELECT 'Bonn' AS city
`;

/** Writes a project whose endpoints have parameters of all kinds. */
export async function writeFieldsProject(folder: string): Promise<void> {
  const endpoints = path.join(folder, 'endpoints');
  await mkdir(endpoints, { recursive: true });
  const files = {
    'all-kinds.sql': ALL_KINDS,
    'cities.sql': CITIES,
    'with-secret.sql': SECRET,
    'old-cities.sql': DEPRECATED,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(endpoints, name), text);
}
