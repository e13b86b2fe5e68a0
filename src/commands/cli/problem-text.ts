import { printable } from './text-table.js';

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

/** The problem for people: its title, then a line for each invalid parameter or the detail, and what to do. */
export function problemLines(
  { status, headers }: Response,
  { document, text }: ProblemResponse,
): readonly string[] {
  if (!document) {
    const location = headers.get('location');
    const redirect = `: the server redirects to ${textOf(location)}; set --url to that address`;
    return [`HTTP ${status}${location === null ? '' : redirect}`, ...linesOf(text)];
  }
  const { title, code, detail, requestId, problems } = document;
  const ofParameters = Array.isArray(problems)
    ? (problems as readonly { readonly param?: unknown; readonly problem?: unknown }[])
    : [];
  const retryAfter = headers.get('retry-after');
  return [
    `${textOf(title)} (${status} ${textOf(code)})`,
    // The detail of a 400 repeats the list in one sentence.
    ...(ofParameters.length > 0
      ? ofParameters.map(({ param, problem }) => `${textOf(param)} ${textOf(problem)}`)
      : linesOf(detail)),
    ...(retryAfter === null ? [] : [`Retry after ${retryAfter} s.`]),
    ...(status === 401 ? ['Set QUERYGATE_KEY or --key to a valid API key.'] : []),
    `Request id: ${textOf(requestId)}`,
  ];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? printable(value) : '');

const linesOf = (value: unknown): readonly string[] =>
  typeof value === 'string' ? value.trim().split('\n').filter(Boolean).map(printable) : [];
