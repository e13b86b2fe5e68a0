/** The body of an error response. */
export interface ProblemResponse {
  /** The problem document (RFC 9457); undefined for any other body. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  /** The beginning of any other body. */
  readonly text: string;
}

/** Characters to show of a body that is not a problem document, such as a proxy's HTML page. */
const MAX_TEXT = 300;

/** Reads the body of an error response. */
export async function readProblem(response: Response): Promise<ProblemResponse> {
  const text = await response.text().catch(() => '');
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json'))
    return { document: undefined, text: text.slice(0, MAX_TEXT) };
  try {
    return { document: JSON.parse(text) as Record<string, unknown>, text };
  } catch {
    return { document: undefined, text: text.slice(0, MAX_TEXT) };
  }
}

/** The problem as text for people: one line for each invalid parameter, and what to do. */
export function problemText({ status, headers }: Response, { document, text }: ProblemResponse): string {
  if (!document)
    return `HTTP ${status}${locationOf(headers)}${text.trim() === '' ? '' : `\n${printable(text).trim()}`}`;
  const { title, code, detail, requestId } = document;
  const problems = problemLines(document['problems']);
  const retryAfter = headers.get('retry-after');
  const lines = [
    `${textOf(title)} (${status} ${textOf(code)})`,
    // The detail of a 400 repeats the list in one sentence.
    ...(problems.length > 0 ? problems : [`  ${textOf(detail)}`]),
    ...(retryAfter === null ? [] : [`  Retry after ${retryAfter} s.`]),
    ...(status === 401 ? ['  Set QUERYGATE_KEY or --key to a valid API key.'] : []),
    `  Request id: ${textOf(requestId)}`,
  ];
  return lines.join('\n');
}

function problemLines(problems: unknown): readonly string[] {
  if (!Array.isArray(problems)) return [];
  return (problems as readonly { readonly param?: unknown; readonly problem?: unknown }[]).map(
    ({ param, problem }) => `  ${textOf(param)} ${textOf(problem)}`,
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? printable(value) : '';
}

/** Replaces control characters, so that a server's text cannot control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, ' ');
}

function locationOf(headers: Headers): string {
  const location = headers.get('location');
  return location === null
    ? ''
    : `: the server redirects to ${printable(location)}; set --url to that address`;
}
