import { camelName, pascalName } from '../endpoint/camel-name.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { jsonTypeOf } from '../endpoint/json-type.js';
import { ERRORS } from '../errors.js';
import { RUNTIME } from './runtime-source.js';
import { docComment, parameterText, propertyName, quoted, typeTextOf } from './type-text.js';

/** No caller reads this one: it has hung up. */
const UNSEEN = 'CALLER_GONE';

/**
 * Writes a module of TypeScript that calls these endpoints. It needs nothing but `fetch`, and compiles under `strict`
 * with the libraries ES2022 and DOM.
 *
 * @throws Error where the names of two endpoints are the same in camel case.
 */
export function generateClient(endpoints: readonly Endpoint[], version: string): string {
  checkNames(endpoints);
  return [
    HEAD(version),
    errorCodes(),
    ...endpoints.flatMap((endpoint) => [parametersType(endpoint), rowType(endpoint)]),
    clientType(endpoints),
    RUNTIME,
    createClient(endpoints),
  ].join('\n\n');
}

function checkNames(endpoints: readonly Endpoint[]): void {
  const taken = new Map<string, string>();
  for (const { name } of endpoints) {
    const camel = camelName(name);
    const other = taken.get(camel);
    if (other !== undefined) throw new Error(`endpoints ${other} and ${name} would both be ${camel}()`);
    taken.set(camel, name);
  }
}

const HEAD = (version: string): string => `/* eslint-disable */
// Made by Querygate ${version} from its endpoint definitions (npm run client). Make it anew instead of changing it.`;

function errorCodes(): string {
  const codes = Object.keys(ERRORS).filter((code) => code !== UNSEEN);
  return `${docComment('What a failure of the gateway is called; UNKNOWN where the answer is not from a gateway.')}
export type ErrorCode =
${[...codes, 'UNKNOWN'].map((code) => `  | ${quoted(code)}`).join('\n')};`;
}

function parametersType({ name, parameters }: Endpoint): string {
  const members = [...parameters].map(([parameter, spec]) => {
    const type = parameterText(spec);
    const optional = spec.required ? [': ', ''] : ['?: ', ' | undefined'];
    return [
      docComment(spec.description, '  '),
      `  readonly ${propertyName(parameter)}${optional.join(type)};`,
    ].join('\n');
  });
  return `${docComment(`Parameters of ${name}.`)}
export interface ${pascalName(name)}Parameters {
${members.join('\n')}
}`;
}

function rowType({ name, columns }: Endpoint): string {
  const members = [...columns].map(([columnName, column]) =>
    [
      docComment(column.meaning, '  '),
      `  readonly ${propertyName(columnName)}: ${typeTextOf(jsonTypeOf(column))};`,
    ].join('\n'),
  );
  return `${docComment(`A row of ${name}.`)}
export interface ${pascalName(name)}Row {
${members.join('\n')}
}`;
}

function clientType(endpoints: readonly Endpoint[]): string {
  const members = endpoints.map(
    (endpoint) => `${docComment(endpoint.summary, '  ')}
  readonly ${camelName(endpoint.name)}: (
    parameters${needsParameters(endpoint) ? '' : '?'}: ${pascalName(endpoint.name)}Parameters,
    options?: CallOptions,
  ) => Promise<Answer<${pascalName(endpoint.name)}Row>>;`,
  );
  return `${docComment('A function for each endpoint.')}
export interface QuerygateClient {
${members.join('\n')}
}`;
}

function createClient(endpoints: readonly Endpoint[]): string {
  const members = endpoints.map(
    (endpoint) =>
      `    ${camelName(endpoint.name)}: (parameters${needsParameters(endpoint) ? '' : ' = {}'}, options) =>
      call(client, ${quoted(endpoint.name)}, { ...parameters }, options),`,
  );
  return `${docComment('Makes a client of one gateway.')}
export function createClient(client: ClientOptions): QuerygateClient {
  return {
${members.join('\n')}
  };
}
`;
}

function needsParameters({ parameters }: Endpoint): boolean {
  return [...parameters.values()].some(({ required }) => required);
}
