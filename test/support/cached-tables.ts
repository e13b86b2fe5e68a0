import { SQL_ENDPOINTS, type SqlEndpoints } from './sql-gateway.js';

const [lines, select] = SQL_ENDPOINTS['edge.of-project'];

const drawn = (caching: string): SqlEndpoints[string] => [
  [`caching: ${caching}`, 'columns: { id: String }', 'tables: true', 'example: {}'],
  'SELECT toString(generateUUIDv4()) AS id',
];

/** Endpoints that cache, whose rows tell when they were queried. */
export const CACHED_TABLES: SqlEndpoints = {
  'edge.of-project': [['caching: 60', ...lines], select],
  'drawn.long': drawn('60'),
  'drawn.short': drawn('5'),
  'drawn.anew': drawn('disabled'),
  'clock.now': [
    ['caching: 60', 'columns: { at: String }', 'tables: true', 'example: {}'],
    'SELECT toString(@now) AS at',
  ],
  'secret.one': [
    [
      'caching: 60',
      'parameters: { token: { kind: string, secret: true, description: A secret. } }',
      'columns: { id: String }',
      'tables: true',
      'example: {}',
    ],
    "SELECT toString(generateUUIDv4()) AS id WHERE 1 [[ AND @token != '' ]]",
  ],
  'numbers.many': [
    [
      'caching: 60',
      'parameters: { many: { kind: integer, required: true, description: Rows. } }',
      'columns: { n: UInt64 }',
      'tables: true',
      'example: { many: 1 }',
    ],
    'SELECT number AS n FROM numbers(100000) WHERE number < @many',
  ],
};

/** Rights of keys `qg_NAME`. */
export const CACHING_KEYS = {
  all: { mayBypassCache: true },
  other: {},
  aurora: { fixed: { project: 'aurora' } },
  twin: { fixed: { project: 'aurora' } },
  beacon: { fixed: { project: 'beacon' } },
  limited: { limits: { requests: { quota: 2, window: 60 } } },
};
