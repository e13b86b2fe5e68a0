/** The text of an endpoint file without parameters. @param columns the properties of `columns`, as in the file */
export const endpointFile = (id: number, name: string, columns: string, query: string): string => `
import { column, defineEndpoint, sql } from 'querygate';
export default defineEndpoint({
  id: '7f3b8c52-94d1-4a86-9d0e-0f4f2f1c7a1${id}',
  name: '${name}',
  summary: 'For a test.',
  parameters: {},
  columns: { ${columns} },
  maxRows: 10,
  caching: 300,
  warming: 0,
  sandboxing: 'disabled',
  example: {},
  build: () => sql\`${query}\`,
});`;
