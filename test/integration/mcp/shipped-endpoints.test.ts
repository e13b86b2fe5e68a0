import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

import { KEYS, sharedDemoGateway } from '../../support/demo-gateway.js';
import { connectMcp, rowsOfTool } from '../../support/mcp-client.js';
import { SHIPPED_ENDPOINTS } from '../../support/shipped-endpoints.js';

const gatewayOf = sharedDemoGateway();
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
formats.default(ajv);

describe.each(Object.keys(SHIPPED_ENDPOINTS))('the tool of %s', (name) => {
  it('takes the endpoint’s example, and returns the rows of the same HTTP request as its schemas say', async () => {
    const { url, endpoints } = gatewayOf();
    const { example = {} } = endpoints.find(name) ?? {};
    const client = await connectMcp({ url: `${url}/mcp`, headers: { 'X-API-KEY': KEYS.all } });
    const { tools } = await client.listTools();
    const tool = tools.find(({ title }) => title === name);
    if (!tool?.outputSchema) throw new Error(`no tool of ${name}`);
    const schemas: Record<'input' | 'output', object> = {
      input: tool.inputSchema,
      output: tool.outputSchema,
    };
    const args = { ...example };
    expect(ajv.validate(schemas.input, args)).toBe(true);
    const result = rowsOfTool(await client.callTool({ name: tool.name, arguments: args }));
    ajv.validate(schemas.output, result);
    expect(ajv.errors).toBeNull();
    const http = await fetch(`${url}/api/endpoints/query/${name}?${new URLSearchParams(args).toString()}`, {
      headers: { 'X-API-KEY': KEYS.all },
    });
    expect(http.headers.get('x-row-count')).toBe(String(result.rowsFound));
    const { result: rows } = (await http.json()) as { readonly result: readonly unknown[] };
    expect(result.rows).toEqual(rows.slice(0, result.rowsReturned));
    expect(result.rowsReturned).toBe(Math.min(50, result.rowsFound));
  });
});
