import { column, type EndpointDefinition, type EndpointSettings } from '../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../src/endpoint/endpoint.js';
import { text } from '../../src/endpoint/index.js';
import { sql } from '../../src/endpoint/sql.js';

const parameters = { city: text({ description: 'A city.' }) };

/** A valid definition, for tests that make one field invalid. */
export const SAMPLE: EndpointDefinition<typeof parameters> = {
  id: '11111111-2222-4333-8444-555555555555',
  name: 'sample',
  summary: 'A sample.',
  parameters,
  columns: { city: column('String', 'The city.') },
  maxRows: 10,
  caching: 60,
  warming: 0,
  sandboxing: 'disabled',
  example: { city: 'Rome' },
  build: ({ city }) => sql`SELECT ${city} AS city`,
};

/** Builds the sample endpoint with some fields changed. */
export function sampleEndpoint(
  overrides: Partial<Pick<Endpoint, 'id' | 'name' | 'summary' | 'tags' | 'example'> & EndpointSettings> = {},
): Endpoint {
  return defineEndpoint({ ...SAMPLE, ...overrides });
}
