import { request, type Agent, type IncomingMessage } from 'node:http';

/** The outcome of one request. */
export interface Outcome {
  /** Status of the response, or a word if there was none. */
  readonly status: number | 'late' | 'cut' | 'left';
  /** `X-Cache`; empty if absent. */
  readonly cache: string;
  /** Code of a problem document. */
  readonly code?: string | undefined;
  readonly ms: number;
  /** What is wrong with the response, whatever its status. */
  readonly violation?: string | undefined;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly agent?: Agent;
  readonly timeoutMs: number;
  /** Milliseconds after which the caller disconnects on purpose. */
  readonly disconnectAfterMs?: number;
}

/** Sends a request; never rejects, and resolves within its timeout. */
export function sendRequest(url: string, options: SendOptions): Promise<Outcome> {
  const { headers = {}, method = 'GET', agent, timeoutMs, disconnectAfterMs } = options;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (outcome: Omit<Outcome, 'ms'>): void => {
      clearTimeout(timer);
      resolve({ ...outcome, ms: performance.now() - startedAt });
    };
    const outgoing = request(url, { method, headers, ...(agent && { agent }) }, (response) => {
      void read(response, method).then(end);
    });
    const timer = setTimeout(() => {
      end({ status: disconnectAfterMs === undefined ? 'late' : 'left', cache: '' });
      outgoing.destroy();
    }, disconnectAfterMs ?? timeoutMs);
    outgoing.on('error', (error) => {
      end({ status: 'cut', cache: '', violation: `no response: ${error.message}` });
    });
    outgoing.end();
  });
}

async function read(response: IncomingMessage, method: string): Promise<Omit<Outcome, 'ms'>> {
  const status = response.statusCode ?? 0;
  const cache = String(response.headers['x-cache'] ?? '');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    return { status: 'cut', cache, violation: `a response of status ${status} was cut` };
  }
  const hasBody = method !== 'HEAD' && status !== 304;
  if (!hasBody || response.headers['content-encoding'] !== undefined) return { status, cache };
  return { status, cache, ...validate(response, Buffer.concat(chunks)) };
}

/** Checks that a response is complete: as JSON, and by its row count. */
function validate(
  { statusCode, headers }: IncomingMessage,
  body: Buffer,
): Pick<Outcome, 'code' | 'violation'> {
  if (!/^application\/(problem\+)?json/.test(headers['content-type'] ?? '')) return {};
  let parsed: { readonly result?: readonly unknown[]; readonly code?: string };
  try {
    parsed = JSON.parse(body.toString()) as typeof parsed;
  } catch {
    return { violation: `a body of status ${String(statusCode)} that is no JSON` };
  }
  const rows = headers['x-row-count'];
  if (statusCode === 200 && rows !== undefined && parsed.result?.length !== Number(rows)) {
    return { violation: `${String(parsed.result?.length)} rows where the headers say ${String(rows)}` };
  }
  return { code: parsed.code };
}
