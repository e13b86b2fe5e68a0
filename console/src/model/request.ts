import type { Page } from './address.js';
import { SQL, type Endpoint, type Parameter, type Values } from './endpoint.js';

/** A request to an endpoint. */
export interface EndpointRequest {
  readonly endpoint: string;
  readonly values: Values;
  /** Why the values are in the body of a POST; undefined where they are in the URL of a GET. */
  readonly body?: BodyReason;
  /** Cursor of a later page, whose number is `page`; absent for the first page. */
  readonly cursor?: string;
  readonly page?: number;
}

/** The request for the page after one. */
export function nextPage(request: EndpointRequest, cursor: string): EndpointRequest {
  return { ...request, cursor, page: (request.page ?? 1) + 1 };
}

/** The page that a request asks for; undefined for the first. */
export const pageOf = ({ cursor, page = 1 }: EndpointRequest): Page | undefined =>
  cursor === undefined ? undefined : { number: page, cursor };

/** The page that an address may have: without its secrets, the cursor of a call is of no use. */
export const linkablePage = ({ parameters }: Declared, request: EndpointRequest): Page | undefined =>
  secretsOf(parameters).length > 0 ? undefined : pageOf(request);

/** The request for a page of the same result; undefined: the first one. */
export const onPage = (request: EndpointRequest, page: Page | undefined): EndpointRequest =>
  page ? { ...request, cursor: page.cursor, page: page.number } : request;

/** A secret value must not be in a URL, and a long one does not fit. */
export type BodyReason = 'secret' | 'long';

/** Characters. The gateway accepts values of 8 KiB in a URL, and each byte of a value is at least one character there. */
const MAX_QUERY_STRING = 8192;

type Declared = Pick<Endpoint, 'name' | 'parameters'>;

/** The request for an endpoint with these values. */
export function requestOf({ name, parameters }: Declared, values: Values): EndpointRequest {
  const body = bodyReason(parameters, values);
  return { endpoint: name, values, ...(body && { body }) };
}

function bodyReason(parameters: readonly Parameter[], values: Values): BodyReason | undefined {
  if (secretsOf(parameters).some((name) => values[name] !== undefined)) return 'secret';
  return new URLSearchParams(values).toString().length > MAX_QUERY_STRING ? 'long' : undefined;
}

/** The names of the secret parameters. */
export const secretsOf = (parameters: readonly Parameter[]): readonly string[] =>
  parameters.flatMap(({ name, secret }) => (secret ? [name] : []));

/** The values that an address may have. */
export function withoutSecrets({ parameters }: Pick<Endpoint, 'parameters'>, values: Values): Values {
  const secrets = new Set(secretsOf(parameters));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name)));
}

/** The values without those that the endpoint does not declare, and those that the key supplies. */
export function declaredValues(
  { parameters, sandboxing }: Pick<Endpoint, 'parameters' | 'sandboxing'>,
  values: Values,
): Values {
  const names = new Set(parameters.flatMap(({ name, pinned }) => (pinned ? [] : [name])));
  if (sandboxing === 'enabled') names.add(SQL);
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/** The values in the order of the declaration, so that equal requests have equal addresses. An undefined value is an omitted one. */
export function inOrder(
  { parameters }: Pick<Endpoint, 'parameters'>,
  values: Readonly<Record<string, string | undefined>>,
): Values {
  const names = [...parameters.map(({ name }) => name), SQL];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** What an endpoint does not take over from a link. */
interface Refused {
  /** Names that it does not declare. */
  readonly ignored: readonly string[];
  /** Parameters to which the key gives another value, as texts for people. */
  readonly pinned: readonly string[];
}

/** The values that the endpoint does not accept. */
export function refusedValues(
  { parameters, sandboxing }: Pick<Endpoint, 'parameters' | 'sandboxing'>,
  values: Values,
): Refused {
  const declared = new Set(parameters.map(({ name }) => name));
  if (sandboxing === 'enabled') declared.add(SQL);
  return {
    ignored: Object.keys(values).filter((name) => !declared.has(name)),
    pinned: parameters.flatMap(({ name, pinned }) => {
      const sent = values[name];
      if (!pinned || sent === undefined || sent === pinned.value) return [];
      return [`${name} ${sent}, and your key sets ${pinned.value ?? 'what may be another one'}`];
    }),
  };
}

/** A form that is being filled in, and the endpoints that its key may call. */
interface Form {
  readonly endpoint: Endpoint;
  readonly endpoints: readonly Endpoint[];
  readonly values: Values;
}

/** The request that lists the values of a parameter; undefined where no endpoint does that the key may call. */
export function choicesRequest(
  { name, choicesFrom }: Parameter,
  { endpoint, endpoints, values }: Form,
): EndpointRequest | undefined {
  const source = choicesFrom && endpoints.find((one) => one.name === choicesFrom.endpoint);
  if (!source) return undefined;
  const open = withoutSecrets(endpoint, values);
  const shared = source.parameters.flatMap((parameter) => {
    // Secret values stay secret, and the value that the user is choosing must not narrow the choices.
    const value = (parameter.secret ? values : open)[parameter.name] ?? '';
    return value === '' || parameter.name === name ? [] : [[parameter.name, value] as const];
  });
  return requestOf(source, Object.fromEntries(shared));
}
