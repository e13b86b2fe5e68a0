import { withSettings, type Endpoint } from '../../../../../../src/endpoint/endpoint.js';
import type { JsonSchema } from '../../../../../../src/endpoint/json-schema.js';
import { ERRORS } from '../../../../../../src/gateway/errors.js';
import { FORMAT_NAMES, FORMATS } from '../../../../../../src/gateway/formats/formats.js';
import type {
  OperationObject,
  ParameterObject,
} from '../../../../../../src/gateway/http/describe/openapi/document.js';
import {
  openApiDocument,
  type OpenApiInput,
} from '../../../../../../src/gateway/http/describe/openapi/openapi-document.js';
import { postOperation } from '../../../../../../src/gateway/http/describe/openapi/operations.js';
import { referenceEndpoints } from '../../../../../support/reference-project.js';
import { KINDS, KINDS_CALL } from '../../../../../support/sample-kinds.js';
import { sampleEndpoint } from '../../../../../support/sample-endpoint.js';

const registry = await referenceEndpoints();
const endpoints = registry.all();

function operation(name: string, input: Partial<OpenApiInput> = {}): OperationObject {
  const found = openApiDocument({ endpoints, version: '1', ...input }).paths[`/api/endpoints/query/${name}`];
  if (!found) throw new Error(`${name} is not described`);
  return found.get;
}

const schemasOf = (given: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> =>
  openApiDocument({ endpoints: given, version: '1' }).components.schemas;

/** Every schema in a part of the document, at any depth. */
function* schemasIn(part: unknown): Generator<JsonSchema> {
  if (typeof part !== 'object' || part === null) return;
  if (['type', 'enum', 'anyOf', 'allOf', '$ref'].some((key) => key in part)) yield part;
  for (const inner of Object.values(part)) yield* schemasIn(inner);
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
      schema: { $ref: '#/components/schemas/UsageApiCounts_interval' },
      example: 'daily',
    });
    expect(parameter(counts, 'project')).toMatchObject({
      required: true,
      description: expect.stringContaining('8,192 bytes') as string,
      schema: { type: 'string', minLength: 1, maxLength: 1000, pattern: '^[^\\x00]*$' },
    });
    const events = operation('get-grouped-stats-events-logs');
    expect(parameter(events, 'start_time')?.schema.format).toBe('date-time');
    expect(parameter(operation('logs.all'), 'iso_timestamp_start')?.schema).toMatchObject({
      anyOf: [{ format: 'date-time' }, { maxLength: 0 }],
    });
    expect(parameter(events, 'event_ids')).toMatchObject({
      style: 'form',
      explode: true,
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
      unit: { anyOf: [{ $ref: '#/components/schemas/Kinds_unit' }, { type: 'null' }] },
      names: { type: ['array', 'null'], items: { type: 'string' }, minItems: 1 },
    });
    expect(example).toEqual({ word: 'a' });
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['413', '415']));
    for (const status of ['206', '304', '416']) expect(post?.responses).not.toHaveProperty(status);
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
    expect(parameter(described, 'format')?.schema).toEqual({ $ref: '#/components/schemas/OutputFormat' });
    expect(schemasOf(endpoints)['OutputFormat']?.enum).toEqual(FORMAT_NAMES);
    for (const name of ['download', 'csv_safe', 'complete'])
      expect(parameter(described, name)?.schema).toEqual({ $ref: '#/components/schemas/Flag' });
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

  it('says of an endpoint that it rejects undeclared parameters', () => {
    const strict = withSettings(sampleEndpoint(), { unknownParameters: 'reject' });
    const bodyOf = (endpoint: Endpoint): unknown =>
      postOperation(endpoint, new Set()).requestBody?.content['application/json']?.schema;
    expect(operation('sample', { endpoints: [strict] }).description).toContain('Other parameters are 400.');
    expect(bodyOf(strict)).toMatchObject({ additionalProperties: false });
    expect(bodyOf(sampleEndpoint())).not.toHaveProperty('additionalProperties');
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

  it('names every enum, and gives no two enums one name', () => {
    const enums = [...schemasIn(openApiDocument({ endpoints: [...endpoints, KINDS], version: '1' }))].filter(
      (schema) => schema.enum,
    );
    const byTitle = new Map(enums.map((schema) => [schema.title, JSON.stringify(schema.enum)]));
    expect(enums.map(({ title, enum: values }) => [title, JSON.stringify(values)])).toEqual(
      enums.map(({ title }) => [title, byTitle.get(title)]),
    );
    expect([...byTitle.keys()]).toEqual(
      expect.arrayContaining([
        'OutputFormat',
        'Flag',
        'NoCaching',
        'Status400',
        'ErrorCode400',
        'Kinds_unit',
      ]),
    );
    expect(byTitle.has(undefined)).toBe(false);
  });

  it('has only schemas that openapi-python-client can read', () => {
    for (const schema of schemasIn(openApiDocument({ endpoints: [...endpoints, KINDS], version: '1' }))) {
      const { allOf = [], anyOf = [], enum: values = [], $ref, ...others } = schema;
      // It rejects a document with `items: false`, and raises for values that differ in letter case only.
      expect(others.items).not.toBe(false);
      const names = values.map((value) => String(value).toUpperCase());
      expect([schema.title, new Set(names).size]).toEqual([schema.title, names.length]);
      expect(values).not.toContain(null);
      // It merges no `const`, finds none in a union, and takes a reference with other members for a schema of its own.
      for (const part of [
        ...anyOf,
        ...allOf,
        ...allOf.flatMap((each) => Object.values(each.properties ?? {})),
      ])
        expect(part).not.toHaveProperty('const');
      if ($ref !== undefined) expect(others).toEqual({});
    }
  });

  it('describes ranges and conditions of a GET, and a failed precondition of a POST too', () => {
    const { get, post } =
      openApiDocument({ endpoints, version: '1' }).paths['/api/endpoints/query/logs.all'] ?? {};
    const headersOf = (described: OperationObject | undefined): readonly string[] =>
      (described?.parameters ?? []).flatMap((each) =>
        '$ref' in each ? [each.$ref.replace(/.*\//, '')] : [],
      );
    expect(headersOf(get)).toEqual(
      expect.arrayContaining(['If-None-Match', 'Range', 'If-Range', 'X-Request-Id']),
    );
    expect(headersOf(post)).toEqual(['Prefer', 'Cache-Control', 'X-Request-Id']);
    const part = get?.responses['206'];
    expect(part).toMatchObject({ headers: { 'Content-Range': {}, 'Accept-Ranges': {}, ETag: {} } });
    expect(part).not.toHaveProperty('content');
    for (const status of ['412', '416']) expect(get?.responses).toHaveProperty(status);
    expect(post?.responses).toHaveProperty('412');
  });
});
