/** What of a generated client is the same for all endpoints; a test compiles it under `strict` and runs it. */
export const RUNTIME = `export interface ClientOptions {
  /** Where the gateway is, such as https://querygate.example.com. */
  readonly baseUrl: string;
  /** A key or a token; a function is asked before each attempt, for tokens that expire. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How often a call that was answered with 429 or 503 is tried again; 2 by default. */
  readonly retries?: number | undefined;
  /** Longest pause before another try, in milliseconds; where the gateway asks for more, the call fails. 30,000 by default. */
  readonly maxRetryDelayMs?: number | undefined;
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  /** Aborts this call; the gateway then ends its query. */
  readonly signal?: AbortSignal | undefined;
  /** Whole seconds after which the gateway is to answer whatever it has, else with WAIT_OVER. */
  readonly waitSeconds?: number | undefined;
}

/** The rows of a call, and how they came about. */
export interface Answer<Row> {
  readonly rows: readonly Row[];
  /** Whether more rows exist than these: the cap of the endpoint was reached. */
  readonly truncated: boolean;
  /** Whether rows are missing, since a part of ClickHouse was away; only gateways that are set to do so answer then. */
  readonly partial: boolean;
  readonly cache: {
    readonly status: 'HIT' | 'MISS' | 'STALE' | 'BYPASS' | undefined;
    /** Since the query began; undefined where the endpoint is not cached. */
    readonly ageSeconds: number | undefined;
  };
  readonly requestId: string | undefined;
}

/** What is wrong with one parameter. */
export interface Problem {
  readonly param: string;
  readonly problem: string;
}

/** Any answer that is no success. An aborted call and a broken connection throw what \`fetch\` throws. */
export class QuerygateError extends Error {
  override readonly name = 'QuerygateError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  /** Of a 400: each parameter that is wrong. */
  readonly problems: readonly Problem[];
  /** To be named to the operator. */
  readonly requestId: string | undefined;
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Partial<QuerygateError>) {
    const detail = problem.detail ?? \`The gateway answered with status \${status}.\`;
    super(detail);
    this.status = status;
    this.detail = detail;
    this.code = problem.code ?? 'UNKNOWN';
    this.problems = problem.problems ?? [];
    this.requestId = problem.requestId;
    this.retryAfter = problem.retryAfter;
  }
}

const DEFAULT_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 30_000;
const FIRST_DELAY_MS = 250;

type Sent = Readonly<Record<string, unknown>>;

async function call<Row>(
  client: ClientOptions,
  endpoint: string,
  parameters: Sent,
  options: CallOptions = {},
): Promise<Answer<Row>> {
  const url = urlOf(client.baseUrl, endpoint, parameters);
  const signal = linked(client.signal, options.signal);
  const { retries = DEFAULT_RETRIES, maxRetryDelayMs = DEFAULT_MAX_RETRY_DELAY_MS } = client;
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(client, url, options.waitSeconds, signal);
    if (response.ok) return readAnswer<Row>(response);
    const error = await readError(response);
    const delay = retryDelay(error, attempt);
    if (attempt >= retries || delay === undefined || delay > maxRetryDelayMs) throw error;
    await pause(delay, signal);
  }
}

async function send(
  { apiKey, fetch = globalThis.fetch }: ClientOptions,
  url: string,
  waitSeconds: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'X-API-KEY': typeof apiKey === 'string' ? apiKey : await apiKey(),
    // What the row types say, whatever the gateway does where nobody asks.
    Prefer: waitSeconds === undefined ? 'timestamps=iso' : \`timestamps=iso, wait=\${waitSeconds}\`,
  };
  return fetch(url, { headers, signal: signal ?? null });
}

function urlOf(baseUrl: string, endpoint: string, parameters: Sent): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, textOf(name, value));
  }
  const sent = query.toString();
  const path = \`\${baseUrl.replace(/\\/+$/, '')}/api/endpoints/query/\${endpoint}\`;
  return sent === '' ? path : \`\${path}?\${sent}\`;
}

function textOf(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value)) return String(value);
  // The gateway would take these for other lists.
  if (value.length === 0) throw new TypeError(\`\${name} is an empty list: leave it out\`);
  if (value.some((item) => String(item).includes(','))) {
    throw new TypeError(\`\${name} has an item with a comma, which separates items\`);
  }
  return value.join(',');
}

async function readAnswer<Row>(response: Response): Promise<Answer<Row>> {
  const { result } = (await response.json()) as { readonly result: readonly Row[] };
  const { headers } = response;
  const age = headers.get('age');
  return {
    rows: result,
    truncated: headers.get('x-truncated') === 'true',
    partial: headers.get('x-partial') === 'true',
    cache: {
      status: (headers.get('x-cache') ?? undefined) as Answer<Row>['cache']['status'],
      ageSeconds: age === null ? undefined : Number(age),
    },
    requestId: headers.get('x-request-id') ?? undefined,
  };
}

async function readError(response: Response): Promise<QuerygateError> {
  const text = await response.text();
  let problem: Partial<QuerygateError> = {};
  // A proxy in between answers with whatever it likes.
  if (/^application\\/problem\\+json\\b/.test(response.headers.get('content-type') ?? '')) {
    try {
      problem = JSON.parse(text) as Partial<QuerygateError>;
    } catch {
      problem = {};
    }
  }
  return new QuerygateError(response.status, {
    ...problem,
    requestId: problem.requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(response.headers.get('retry-after')),
  });
}

/** Reads Retry-After: whole seconds, or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** Milliseconds to wait before another try, or undefined where none would help. Random, lest all callers come at once. */
function retryDelay({ status, retryAfter }: QuerygateError, attempt: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const backoff = FIRST_DELAY_MS * 2 ** attempt;
  return retryAfter === undefined
    ? backoff * (0.5 + Math.random() / 2)
    : retryAfter * 1000 + backoff * Math.random();
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

function linked(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a && b ? AbortSignal.any([a, b]) : (a ?? b);
}`;
