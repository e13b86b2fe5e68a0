import type { EndpointUnderTest, Row } from './endpoint-under-test.js';

export const TABLE = 'edge_logs';

/** A record of a project, at a time that the calls of tests include. */
export const record = (fields: object): object => ({
  project: 'aurora',
  timestamp: '2096-03-01',
  ...fields,
});

export const column = (rows: readonly Row[], name: string): readonly unknown[] =>
  rows.map((row) => row[name]);

/** The messages of that project, in the order of the response. */
export const messagesOf = async (
  endpoint: EndpointUnderTest,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly unknown[]> =>
  column(await endpoint.rows({ project: 'aurora', ...parameters }), 'event_message');
