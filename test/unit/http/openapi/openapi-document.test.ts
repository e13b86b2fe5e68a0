import { withSettings, type Endpoint } from '../../../../src/endpoint/endpoint.js';
import { ERRORS } from '../../../../src/errors.js';
import { FORMAT_NAMES, FORMATS } from '../../../../src/formats/formats.js';
import type { OperationObject, ParameterObject } from '../../../../src/http/openapi/document.js';
import { openApiDocument, type OpenApiInput } from '../../../../src/http/openapi/openapi-document.js';
import { referenceEndpoints } from '../../../support/reference-project.js';
import { KINDS, KINDS_CALL } from '../../../support/sample-kinds.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';

const registry = await referenceEndpoints();
const endpoints = registry.all();

function operation(name: string, input: Partial<OpenApiInput> = {}): OperationObject {
  const found = openApiDocument({ endpoints, version: '1', ...input }).paths[`/api/endpoints/query/${name}`];
  if (!found) throw new Error(`${name} is not described`);
  return found.get;
}

const parameter = ({ parameters = [] }: OperationObject, name: string): ParameterObject | undefined =>
  parameters.find((each): each is ParameterObject => 'name' in each && each.name === name);

describe('the OpenAPI document', () => {
  it('has a path for each endpoint, with a unique operation id', () => {
    const { paths } = openApiDocument({ endpoints, version: '1' });
    const ids = Object.values(paths)
      .flatMap(({ get, post }) => [get, ...(post ? [post] : [])])
      .map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['logsAll', 'usageApiCounts', 'getGroupedStatsRedirects']));
    expect(ids).toHaveLength(2 * endpoints.length + 4);
  });

  it('describes the constraints of each parameter', () => {
    const counts = operation('usage.api-counts');
    expect(parameter(counts, 'interval')).toMatchObject({
      in: 'query',
      required: true,
      schema: { enum: ['minutely', 'hourly', 'daily'] },
      example: 'daily',
    });
    expect(parameter(counts, 'project')).toMatchObject({
      required: true,
      description: expect.stringContaining('8,192 bytes') as string,
      schema: { type: 'string', maxLength: 8192 },
    });
    const events = operation('get-grouped-stats-events-logs');
    expect(parameter(events, 'start_time')?.schema.format).toBe('date-time');
    expect(parameter(events, 'event_ids')).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array' },
    });
    expect(parameter(events, 'event_type')?.schema.examples).toContain('view');
    expect(parameter(events, 'city')?.required).toBeUndefined();
  });

  it('describes the body of a POST: typed values, arrays for lists, null for what may be omitted', () => {
    const { post } = openApiDocument({ endpoints: [KINDS], version: '1' }).paths[KINDS_CALL] ?? {};
    const { schema, example } = post?.requestBody?.content['application/json'] ?? {};
    expect(schema?.required).toBeUndefined();
    expect(schema?.properties).toMatchObject({
      word: { type: ['string', 'null'], maxLength: 65_536 },
      size: { type: ['integer', 'string', 'null'] },
      flag: { type: ['boolean', 'null'] },
      unit: { type: ['string', 'null'], enum: ['day', 'hour', null] },
      names: { type: ['array', 'null'], items: { type: 'string' }, minItems: 1 },
    });
    expect(example).toEqual({ word: 'a' });
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['413', '415']));
    expect(Object.keys(post?.responses ?? {})).not.toContain('304');
  });

  it('does not require a pinned parameter in the body of a POST', () => {
    const pinned = new Set(['project']);
    const { post } =
      openApiDocument({ endpoints, version: '1', pinned }).paths['/api/endpoints/query/usage.api-counts'] ??
      {};
    const { schema, example } = post?.requestBody?.content['application/json'] ?? {};
    expect(schema?.required).toEqual(['interval']);
    expect(example).toEqual({ interval: 'daily' });
  });

  it('groups the operations by the tags of their endpoints, and those without tags', () => {
    const id = (digit: number): string => `11111111-2222-4333-8444-00000000000${digit}`;
    const tagged = [
      sampleEndpoint({ id: id(1), name: 'both', tags: ['usage', 'api'] }),
      sampleEndpoint({ id: id(2), name: 'one', tags: ['usage'] }),
    ];
    const groupsOf = (given: readonly Endpoint[]): readonly string[] =>
      openApiDocument({ endpoints: given, version: '1' }).tags.map(({ name }) => name);
    expect(groupsOf(tagged)).toEqual(['api', 'usage', 'Catalogue', 'Health']);
    expect(groupsOf([...tagged, sampleEndpoint()])).toEqual([
      'api',
      'usage',
      'Queries',
      'Catalogue',
      'Health',
    ]);
    expect(operation('both', { endpoints: tagged }).tags).toEqual(['usage', 'api']);
    expect(operation('sample', { endpoints: [sampleEndpoint()] }).tags).toEqual(['Queries']);
  });

  it('defines exactly the tags that its operations have', () => {
    const { tags, paths } = openApiDocument({ endpoints, version: '1' });
    const used = new Set(Object.values(paths).flatMap(({ get }) => get.tags));
    expect(tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it('does not require a pinned parameter', () => {
    const pinned = operation('usage.api-counts', { pinned: new Set(['project']) });
    expect(parameter(pinned, 'project')?.required).toBeUndefined();
    expect(parameter(pinned, 'project')?.example).toBeUndefined();
    expect(parameter(pinned, 'interval')?.required).toBe(true);
  });

  it('lists every error code that a GET or POST can return', () => {
    const { schemas, responses } = openApiDocument({ endpoints, version: '1' }).components;
    const codes = Object.keys(responses).flatMap(
      (name) => schemas[name]?.allOf?.[1]?.properties?.['code']?.enum ?? [],
    );
    const expected = Object.keys(ERRORS).filter(
      (code) =>
        !['CALLER_GONE', 'METHOD_NOT_ALLOWED', 'PURGE_INCOMPLETE', 'ENDPOINTS_INVALID'].includes(code),
    );
    expect([...codes].sort()).toEqual(expected.sort());
    const listed = Object.keys(operation('logs.all').responses);
    expect(listed).toEqual(expect.arrayContaining(['200', '304', '400', '401', '403', '404', '406', '429']));
  });

  it('describes every output format, and the parameters that select one', () => {
    const described = operation('logs.all');
    expect(parameter(described, 'format')?.schema.enum).toEqual(FORMAT_NAMES);
    expect(parameter(described, 'download')).toBeDefined();
    expect(parameter(described, 'csv_safe')).toBeDefined();
    const ok = described.responses['200'];
    expect(ok && 'content' in ok && Object.keys(ok.content ?? {})).toEqual(
      Object.values(FORMATS).map(({ mediaType }) => mediaType),
    );
  });

  it('describes the sql parameter, and no columns, if an endpoint accepts a caller’s own SQL', () => {
    const open = withSettings(sampleEndpoint(), { sandboxing: 'enabled' });
    const described = operation('sample', { endpoints: [open] });
    expect(parameter(described, 'sql')).toBeDefined();
    expect(JSON.stringify(described.responses)).not.toContain('SampleRow');
    expect(parameter(operation('logs.all'), 'sql')).toBeUndefined();
  });

  it('uses every component that it defines, and defines every component that it uses', () => {
    const document = openApiDocument({ endpoints, version: '1' });
    const used = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name),
    );
    const { schemas, responses, headers, parameters } = document.components;
    const defined = Object.entries({ schemas, responses, headers, parameters }).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(defined.sort());
  });
});
