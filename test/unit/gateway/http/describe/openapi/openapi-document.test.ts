import { defineEndpoint, withSettings, type Endpoint } from '../../../../../../src/endpoint/endpoint.js';
import type { JsonSchema } from '../../../../../../src/endpoint/json-schema.js';
import { ERRORS } from '../../../../../../src/gateway/errors.js';
import type {
  OperationObject,
  ParameterObject,
} from '../../../../../../src/gateway/http/describe/openapi/document.js';
import {
  openApiDocument,
  type OpenApiInput,
} from '../../../../../../src/gateway/http/describe/openapi/openapi-document.js';
import { callOperations } from '../../../../../../src/gateway/http/describe/openapi/operations.js';
import { referenceEndpoints } from '../../../../../support/reference-project.js';
import { KINDS, KINDS_CALL } from '../../../../../support/sample-kinds.js';
import { SAMPLE, sampleEndpoint } from '../../../../../support/sample-endpoint.js';

const registry = await referenceEndpoints();
const endpoints = registry.all();

function operation(name: string, input: Partial<OpenApiInput> = {}): OperationObject {
  const found = openApiDocument({ endpoints, version: '1', ...input }).paths[`/api/endpoints/query/${name}`];
  if (!found) throw new Error(`${name} is not described`);
  return found.get;
}

/** Every schema in a part of the document, at any depth. */
function* schemasIn(part: unknown): Generator<JsonSchema> {
  if (typeof part !== 'object' || part === null) return;
  if (['type', 'enum', 'anyOf', 'allOf', '$ref'].some((key) => key in part)) yield part;
  for (const inner of Object.values(part)) yield* schemasIn(inner);
}

const parameter = ({ parameters = [] }: OperationObject, name: string): ParameterObject | undefined =>
  parameters.find((each): each is ParameterObject => 'name' in each && each.name === name);

describe('the OpenAPI document', () => {
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

  it('lists every error code that a GET or POST can return', () => {
    const exporting = withSettings(sampleEndpoint(), { exports: { maxRows: 100, maxSeconds: 10 } });
    const deprecated = { since: '2026-01-01', sunset: '2026-06-01' };
    const going = defineEndpoint({ ...SAMPLE, name: 'going', deprecated, goneAfterSunset: true });
    const all = [...endpoints, exporting, going];
    const { schemas, responses } = openApiDocument({ endpoints: all, version: '1' }).components;
    const codes = Object.keys(responses).flatMap(
      (name) => schemas[name]?.allOf?.[1]?.properties?.['code']?.enum ?? [],
    );
    const expected = Object.keys(ERRORS).filter(
      (code) =>
        !['CALLER_GONE', 'METHOD_NOT_ALLOWED', 'PURGE_INCOMPLETE', 'ENDPOINTS_INVALID'].includes(code),
    );
    expect([...codes].sort()).toEqual(expected.sort());
    const described = operation('sample', { endpoints: [exporting] });
    expect([parameter(described, 'export')?.name, described.responses['505']]).toEqual([
      'export',
      expect.anything(),
    ]);
    expect(parameter(operation('logs.all'), 'export')).toBeUndefined();
    const listed = Object.keys(operation('logs.all').responses);
    expect(listed).toEqual(expect.arrayContaining(['200', '304', '400', '401', '403', '404', '406', '429']));
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
      callOperations(endpoint, new Set()).post?.requestBody?.content['application/json']?.schema;
    expect(operation('sample', { endpoints: [strict] }).description).toContain('Other parameters are 400.');
    expect(bodyOf(strict)).toMatchObject({ additionalProperties: false });
    expect(bodyOf(sampleEndpoint())).not.toHaveProperty('additionalProperties');
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
});
