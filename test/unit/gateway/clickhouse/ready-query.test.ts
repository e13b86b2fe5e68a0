import { randomBytes } from 'node:crypto';

import { parametersOf, readyQuery, searchOf } from '../../../../src/gateway/clickhouse/ready-query.js';
import { sealWith } from '../../../../src/endpoint/parameters/secret-value.js';
import { queryRequest } from '../../../support/query-requests.js';

const seal = sealWith(randomBytes(32));

describe('readyQuery', () => {
  it.each([
    ['0', []],
    ['1', [{ skip_unavailable_shards: 0 }, { skip_unavailable_shards: 1 }, { max_threads: 1 }, undefined]],
  ])(
    'writes skip_unavailable_shards = %s into the text, from the last layer that has it',
    async (skips, settings) => {
      const request = queryRequest('SELECT 1');
      const format = { name: 'CSV', settings: {} };
      const { body } = await readyQuery({ bound: request.query, format, settings, request });
      expect(body).toBe(`SELECT 1\nFORMAT CSV\nSETTINGS skip_unavailable_shards = ${skips}`);
    },
  );
});

describe('parametersOf', () => {
  it('leaves short values in the query string', async () => {
    const parameters = {
      a: 'x'.repeat(4000),
      list: ["it's"],
      number: 1,
      omitted: null,
      text: 'a + b&c=%20é\ud800',
    };
    const { parameters: sent, body } = await parametersOf('SELECT 1', { parameters });
    expect(body).toBe('SELECT 1');
    expect([...new URLSearchParams(sent)]).toEqual([
      ['param_a', parameters.a],
      ['param_list', String.raw`['it\'s']`],
      ['param_number', '1'],
      ['param_omitted', String.raw`\N`],
      ['param_text', 'a + b&c=%20é\ufffd'],
    ]);
  });

  it.each([
    ['long', { a: 'x'.repeat(5000) }, 'x'.repeat(5000)],
    ['long together', { a: 'x'.repeat(3000), b: ['y'.repeat(3000)] }, `['${'y'.repeat(3000)}']`],
    ['secret', { a: 'short', b: seal('hidden') }, 'hidden'],
  ])('puts all values in the body where they are %s', async (_what, parameters, written) => {
    const { parameters: sent, body, headers } = await parametersOf('SELECT 1', { parameters });
    expect(sent).toBe('query=SELECT%201');
    expect(headers?.['Content-Type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(body.toString()).toContain('name="param_a"');
    expect(body.toString()).toContain(written);
  });
});

describe('searchOf', () => {
  it('takes the value of the later layer, at the place of the first, and leaves absent layers out', () => {
    const layers = [{ a: 1, b: 'x y' }, undefined, { c: '2', a: 3 }];
    expect(searchOf(...layers)).toBe('a=3&b=x%20y&c=2');
    expect(searchOf(undefined)).toBe('');
  });
});
