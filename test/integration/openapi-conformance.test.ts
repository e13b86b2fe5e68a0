import fc from 'fast-check';

import type { JsonSchema } from '../../src/endpoint/json-schema.js';
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  RefObject,
} from '../../src/gateway/http/describe/openapi/document.js';
import { valueOf, violationsOf } from '../support/arbitrary-of-schema.js';
import { KEYS, sharedDemoGateway } from '../support/demo-gateway.js';
import { OpenApiValidator } from '../support/openapi-validator.js';

const gatewayOf = sharedDemoGateway();
let document: OpenApiDocument;
let validator: OpenApiValidator;

beforeAll(async () => {
  document = (await (await gatewayOf().get('/openapi.json')).json()) as OpenApiDocument;
  validator = new OpenApiValidator(document);
});

type Method = 'get' | 'post';

/** One operation, with its parameters resolved and the properties of its body. */
interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly parameters: readonly ParameterObject[];
  readonly body: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required: ReadonlySet<string>;
  /** Values with which a call works. */
  readonly example: Sent;
}

/** What a request carries, by place and name. */
interface Sent {
  readonly path?: Values;
  readonly query?: Values;
  readonly header?: Values;
  readonly body?: Values;
}
type Values = Readonly<Record<string, unknown>>;

function operations(): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, { get, post }]) => [
    operationOf(path, 'get', get),
    ...(post ? [operationOf(path, 'post', post)] : []),
  ]);
}

function operationOf(
  path: string,
  method: Method,
  { parameters = [], requestBody }: OperationObject,
): Operation {
  // Only responses have cursors: no text that is generated is one.
  const resolved = parameters
    .map((each) => ('$ref' in each ? (target(each.$ref) as ParameterObject) : each))
    .filter(({ name }) => name !== 'cursor');
  const { schema, example } = requestBody?.content['application/json'] ?? {};
  const needed = resolved.filter(({ required }) => required === true);
  const inQuery = resolved.filter((each) => each.in === 'query' && each.example !== undefined);
  const inPath = needed.filter((each) => each.in === 'path');
  return {
    path,
    method,
    parameters: resolved,
    body: schema?.properties,
    required: new Set([...needed.map(({ name }) => name), ...(schema?.required ?? [])]),
    example: {
      query: Object.fromEntries(inQuery.map((each) => [each.name, each.example])),
      path: Object.fromEntries(inPath.map((each) => [each.name, each.schema.examples?.[0]])),
      ...(example !== undefined && { body: example as Values }),
    },
  };
}

/** What a reference of the document names. */
function target(reference: RefObject['$ref']): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce((value: unknown, step) => (value as Record<string, unknown>)[step], document);
}

const resolve = (reference: string): JsonSchema => target(reference) as JsonSchema;

/** Sends a request; lists as `style: form, explode: true` has them. */
async function send({ path, method }: Operation, sent: Sent): Promise<Response> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(sent.query ?? {}))
    for (const item of [value].flat()) query.append(name, String(item));
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(sent.path?.[name])),
  );
  const headers = Object.fromEntries(
    Object.entries(sent.header ?? {}).map(([name, value]) => [name, String(value)]),
  );
  return fetch(`${gatewayOf().url}${place}?${query.toString()}`, {
    method: method.toUpperCase(),
    headers: { 'X-API-KEY': KEYS.all, ...headers, ...(sent.body && { 'Content-Type': 'application/json' }) },
    ...(sent.body && { body: JSON.stringify(sent.body) }),
  });
}

/** Reads the body as its media type says; the document does not describe that of a part. */
async function bodyOf(response: Response): Promise<unknown> {
  const isJson = /[/+]json(?:;|$)/.test(response.headers.get('content-type') ?? '');
  const text = await response.text();
  if (response.status === 206 || response.status === 304) return undefined;
  return isJson ? (JSON.parse(text) as unknown) : text;
}

/** Headers that fetch sends unchanged. */
const headerText = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const headerValue = ({ schema: { examples = [] } }: ParameterObject): fc.Arbitrary<unknown> =>
  examples.length === 0 ? headerText : fc.oneof(headerText, fc.constantFrom(...examples));

/** Every value that the document shows for a parameter. */
function examplesOf({ schema, example }: ParameterObject): readonly unknown[] {
  const members = [schema, ...(schema.anyOf ?? [])].flatMap(({ examples = [] }) => examples);
  const items = (schema.items?.examples ?? []).map((item) => [item]);
  return [...members, ...items, ...(example === undefined ? [] : [example])];
}

/** Any request that satisfies the schemas of an operation. */
function anyRequest({ parameters, body, required }: Operation): fc.Arbitrary<Sent> {
  const requiredKeys = [...required];
  const valuesIn = (place: ParameterObject['in']): fc.Arbitrary<Values> => {
    const arbitraries = parameters
      .filter((each) => each.in === place)
      .map(
        (each) =>
          [each.name, place === 'header' ? headerValue(each) : valueOf(each.schema, resolve)] as const,
      );
    return record(Object.fromEntries(arbitraries), requiredKeys);
  };
  const fromSchemas = Object.entries(body ?? {}).map(
    ([name, schema]) => [name, valueOf(schema, resolve)] as const,
  );
  return fc.record({
    path: valuesIn('path').filter((values) => !Object.values(values).some(isDotSegment)),
    query: valuesIn('query'),
    header: valuesIn('header'),
    ...(body && { body: record(Object.fromEntries(fromSchemas), requiredKeys) }),
  });
}

const record = (
  arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  requiredKeys: readonly string[],
): fc.Arbitrary<Values> =>
  fc.record(arbitraries, {
    requiredKeys: requiredKeys.filter((name) => name in arbitraries),
    noNullPrototype: true,
  });

/** URLs lose these, however they are written. */
const isDotSegment = (value: unknown): boolean => value === '.' || value === '..';

interface ProblemBody {
  readonly detail?: string;
  readonly problems?: readonly { readonly param: string }[];
}

const SEED = 19;

describe('the OpenAPI document', () => {
  it('has examples that no request with them is refused for, and describes the responses', async () => {
    for (const operation of operations()) {
      for (const parameter of operation.parameters) {
        const { name, in: place } = parameter;
        for (const value of examplesOf(parameter)) {
          const values = { ...operation.example[place], [name]: value };
          const response = await send(operation, { ...operation.example, [place]: values });
          const { path, method } = operation;
          const problems = validator.problemsOf(path, response, await bodyOf(response), method);
          expect([path, method, name, value, response.status < 400, problems]).toEqual([
            ...[path, method, name, value],
            ...[true, []],
          ]);
        }
      }
    }
  }, 60_000);

  it('describes the response to every request that its schemas allow, which is no 400', async () => {
    for (const operation of operations()) {
      const { path, method } = operation;
      await fc.assert(
        fc.asyncProperty(anyRequest(operation), async (sent) => {
          const response = await send(operation, sent);
          const body = await bodyOf(response);
          expect(validator.problemsOf(path, response, body, method).slice(0, 3)).toEqual([]);
          // No schema can say which regular expressions compile.
          const { detail = '' } = (body ?? {}) as ProblemBody;
          const isExpression = detail.includes('regular expression that RE2 compiles');
          if (!isExpression) expect([response.status, body]).not.toEqual([400, body]);
        }),
        { seed: SEED, numRuns: 12 },
      );
    }
  }, 120_000);

  it('has schemas that allow no invalid parameter: the 400 names it', async () => {
    for (const operation of operations()) {
      for (const { name, in: place, schema } of operation.parameters) {
        if (place !== 'query') continue;
        for (const [rule, value] of Object.entries(violationsOf(schema, resolve)))
          await expectProblem(operation, { place, name, rule, value });
      }
      for (const [name, schema] of Object.entries(operation.body ?? {})) {
        const { maxLength, ...violations } = violationsOf(schema, resolve);
        // A value beyond the bound of every value is 413.
        const isOwnBound = maxLength !== undefined && (schema.maxLength ?? Infinity) < 8192;
        const all = { ...violations, ...(isOwnBound && { maxLength }), type: fc.constant({ a: 1 }) };
        for (const [rule, value] of Object.entries(all))
          await expectProblem(operation, { place: 'body', name, rule, value });
      }
    }
  }, 120_000);

  it('requires exactly the parameters without which the response is 400', async () => {
    for (const operation of operations()) {
      const place = operation.body ? 'body' : 'query';
      for (const name of Object.keys(operation.example[place] ?? {})) {
        const others = Object.entries(operation.example[place] ?? {}).filter(([other]) => other !== name);
        const response = await send(operation, { ...operation.example, [place]: Object.fromEntries(others) });
        const body = (await response.json()) as ProblemBody;
        const isNamed = body.problems?.some(({ param }) => param === name) ?? false;
        expect([operation.path, name, response.status, isNamed]).toEqual(
          operation.required.has(name)
            ? [operation.path, name, 400, true]
            : [operation.path, name, 200, false],
        );
      }
    }
  });

  it('has the greatest length of each text, of ASCII', async () => {
    for (const operation of operations()) {
      for (const { name, in: place, schema } of operation.parameters) {
        const { maxLength } = schema.items ?? schema;
        if (maxLength === undefined) continue;
        const statusOf = async (length: number): Promise<number> => {
          const values = { ...operation.example[place], [name]: 'a'.repeat(length) };
          const response = await send(operation, { ...operation.example, [place]: values });
          await response.arrayBuffer();
          return response.status;
        };
        const statuses = [await statusOf(maxLength), await statusOf(maxLength + 1)];
        expect([operation.path, name, ...statuses]).toEqual([operation.path, name, 200, 400]);
      }
    }
  }, 60_000);
});

interface Violation {
  readonly place: 'query' | 'body';
  readonly name: string;
  readonly rule: string;
  readonly value: fc.Arbitrary<unknown>;
}

/** Expects 400 with a problem of this parameter where its value breaks a rule, and no other value is wrong. */
async function expectProblem(operation: Operation, { place, name, rule, value }: Violation): Promise<void> {
  await fc.assert(
    fc.asyncProperty(value, async (wrong) => {
      const sent = { ...operation.example, [place]: { ...operation.example[place], [name]: wrong } };
      const response = await send(operation, sent);
      const body = (await bodyOf(response)) as ProblemBody;
      const named = body.problems?.map(({ param }) => param);
      expect([operation.path, rule, response.status, named]).toEqual([operation.path, rule, 400, [name]]);
      expect(validator.problemsOf(operation.path, response, body, operation.method)).toEqual([]);
    }),
    { seed: SEED, numRuns: 4 },
  );
}
