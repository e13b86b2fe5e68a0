/** The text of an endpoint file; `changes` replace properties of the definition. */
export const typescriptFile = (changes = ''): string => `
  import { column, defineEndpoint, sql, text } from 'querygate';

  export default defineEndpoint({
    id: '11111111-2222-4333-8444-555555555555',
    name: 'first',
    summary: 'A sample.',
    parameters: { city: text({ description: 'A city.' }) },
    columns: { city: column('String', 'The city.') },
    maxRows: 10,
    caching: 60,
    warming: 0,
    sandboxing: 'disabled',
    example: {},
    build: ({ city }) => sql\`SELECT \${city} AS city\`,
    ${changes}
  });
`;
export const SECOND = typescriptFile("id: '11111111-2222-4333-8444-666666666666', name: 'second',");
