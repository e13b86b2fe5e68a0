import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';

import { sendParameters } from '../../../src/clickhouse/multipart-parameters.js';
import { sealWith } from '../../../src/endpoint/parameters/secret-value.js';

const seal = sealWith(randomBytes(32));

describe('sendParameters', () => {
  it('leaves short values in the URL', async () => {
    const parameters = { a: 'x'.repeat(4000), list: ['a'], number: 1, omitted: null };
    expect(await sendParameters({ parameters })).toEqual({ query_params: parameters });
  });

  it.each([
    ['long', { a: 'x'.repeat(5000) }, 'x'.repeat(5000)],
    ['long together', { a: 'x'.repeat(3000), b: ['y'.repeat(3000)] }, `['${'y'.repeat(3000)}']`],
    ['secret', { a: 'short', b: seal('hidden') }, 'hidden'],
  ])('puts all values in the body where they are %s', async (_what, parameters, written) => {
    const { query_params, values, headers } = await sendParameters({ parameters });
    expect(query_params).toBeUndefined();
    expect(headers?.['Content-Type']).toMatch(/^multipart\/form-data; boundary=/);
    const body = values && (await text(values));
    expect(body).toContain('name="param_a"');
    expect(body).toContain(written);
  });
});
