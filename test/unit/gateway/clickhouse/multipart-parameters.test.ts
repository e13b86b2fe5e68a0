import { randomBytes } from 'node:crypto';

import { sendParameters } from '../../../../src/gateway/clickhouse/multipart-parameters.js';
import { sealWith } from '../../../../src/endpoint/parameters/secret-value.js';

const seal = sealWith(randomBytes(32));

describe('sendParameters', () => {
  it('leaves short values in the query string', async () => {
    const parameters = { a: 'x'.repeat(4000), list: ["it's"], number: 1, omitted: null };
    expect(await sendParameters('SELECT 1', { parameters })).toEqual({
      entries: [
        ['param_a', parameters.a],
        ['param_list', String.raw`['it\'s']`],
        ['param_number', '1'],
        ['param_omitted', String.raw`\N`],
      ],
      body: 'SELECT 1',
    });
  });

  it.each([
    ['long', { a: 'x'.repeat(5000) }, 'x'.repeat(5000)],
    ['long together', { a: 'x'.repeat(3000), b: ['y'.repeat(3000)] }, `['${'y'.repeat(3000)}']`],
    ['secret', { a: 'short', b: seal('hidden') }, 'hidden'],
  ])('puts all values in the body where they are %s', async (_what, parameters, written) => {
    const { entries, body, headers } = await sendParameters('SELECT 1', { parameters });
    expect(entries).toEqual([['query', 'SELECT 1']]);
    expect(headers?.['Content-Type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(body.toString()).toContain('name="param_a"');
    expect(body.toString()).toContain(written);
  });
});
