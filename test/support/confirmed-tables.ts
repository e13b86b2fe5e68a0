import type { SqlEndpoints } from './sql-gateway.js';

const endpoint = (select: string, ...lines: readonly string[]): SqlEndpoints[string] => [
  ['columns: { n: UInt64 }', 'tables: true', 'example: {}', ...lines],
  select,
];
const COUNT = 'SELECT count() AS n FROM';
/** Endpoints over the tables events and others, most of which cache until their data changes. */
export const CONFIRMED_TABLES: SqlEndpoints = {
  counted: endpoint(`${COUNT} events`, 'caching: until-changed', 'staleIfError: 3600'),
  viewed: endpoint(`${COUNT} low`, 'caching: until-changed'),
  paged: endpoint(`${COUNT} events`, 'caching: until-changed', 'pages: { by: [n] }', 'maxRows: 10'),
  strict: endpoint(`${COUNT} events`, 'caching: until-changed', 'staleIfError: 0'),
  seconds: endpoint(`${COUNT} others`, 'caching: 5', 'staleIfError: 3600'),
  drawn: endpoint('SELECT rand() AS n', 'caching: disabled'),
  'of-shop': endpoint(
    `${COUNT} events WHERE 1 [[ AND shop = @shop ]]`,
    'parameters: { shop: { kind: string, description: A shop. } }',
    'tenant: { events: shop }',
    'caching: until-changed',
  ),
};
/** A key, and a table that it reads. */
export const READ_BY_KEYS = [
  ['all', 'counted'],
  ['all', 'viewed'],
  ['all', 'paged'],
  ['harbour', 'of_shop'],
] as const;
export const CONFIRMING_KEYS = { all: { mayBypassCache: true }, harbour: { fixed: { shop: 'harbour' } } };
