import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import { readSqlEndpoint } from '../../../support/read-sql-endpoint.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';
import { PARTS } from './clauses.js';

/** What keeps other tenants' rows out of a WITH query. */
export const FILTERED_BY = ['the header', 'the header and their own WHERE'] as const;
export type FilteredBy = (typeof FILTERED_BY)[number];

/** The names of the parts of `logs.all`, of the same rows, as WITH queries of a `.sql` file. */
export function logsInSql(filteredBy: FilteredBy): Endpoint {
  const names = PARTS.filter((name) => name !== 'result');
  const tableOf = (name: string): string => name.replace(/_source$/, '_logs');
  const isOwn = filteredBy === 'the header and their own WHERE';
  const items = names.map(
    (name) => `${name} AS (
  SELECT id, timestamp, event_message, metadata FROM ${tableOf(name)}
  WHERE ${isOwn ? 'project = @project AND ' : ''}timestamp > @now - INTERVAL 1 DAY
)`,
  );
  const header = [
    'sandboxing: enabled',
    'parameters:',
    '  project: { kind: string, required: true, description: Project reference. }',
    '  project_tier: { kind: string, default: FREE, description: Retention. }',
    'columns: { id: UUID, timestamp: DateTime64(6), event_message: String, metadata: String }',
    `tenant: { ${names.map((name) => `${tableOf(name)}: project`).join(', ')} }`,
  ];
  return readSqlEndpoint(
    sqlEndpointFile(
      'logs.in-sql',
      header,
      `WITH ${items.join(', ')}
SELECT * FROM edge_source WHERE @project = @project AND @project_tier != ''
ORDER BY timestamp DESC, id, event_message, metadata`,
    ),
  );
}
