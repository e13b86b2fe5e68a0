/** What a gateway said instead of rows. */
export interface ProblemResponse {
  /** Its problem document (RFC 9457), where it sent one. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  /** The beginning of anything else. */
  readonly text: string;
}

/** Most characters that are shown of an answer that is no problem document, such as a proxy's page. */
const SHOWN = 300;

/** Reads the body of an answer that is not 200. */
export async function readProblem(response: Response): Promise<ProblemResponse> {
  const text = await response.text().catch(() => '');
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json'))
    return { document: undefined, text: text.slice(0, SHOWN) };
  try {
    return { document: JSON.parse(text) as Record<string, unknown>, text };
  } catch {
    return { document: undefined, text: text.slice(0, SHOWN) };
  }
}

/** For people: what is wrong, each parameter on a line, and what they can do. */
export function problemText({ status, headers }: Response, { document, text }: ProblemResponse): string {
  if (!document)
    return `HTTP ${status}${locationOf(headers)}${text.trim() === '' ? '' : `\n${printable(text).trim()}`}`;
  const { title, code, detail, requestId } = document;
  const problems = problemLines(document['problems']);
  const retryAfter = headers.get('retry-after');
  const lines = [
    `${shown(title)} (${status} ${shown(code)})`,
    // The detail of a 400 says in one sentence what the list has.
    ...(problems.length > 0 ? problems : [`  ${shown(detail)}`]),
    ...(retryAfter === null ? [] : [`  Try again after ${retryAfter} s.`]),
    ...(status === 401 ? ['  Give the key in QUERYGATE_KEY or with --key.'] : []),
    `  Request id: ${shown(requestId)}`,
  ];
  return lines.join('\n');
}

function problemLines(problems: unknown): readonly string[] {
  if (!Array.isArray(problems)) return [];
  return (problems as readonly { readonly param?: unknown; readonly problem?: unknown }[]).map(
    ({ param, problem }) => `  ${shown(param)} ${shown(problem)}`,
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? printable(value) : '';
}

/** What a server sends must not steer the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, ' ');
}

function locationOf(headers: Headers): string {
  const location = headers.get('location');
  return location === null ? '' : `: it redirects to ${printable(location)}; give that to --url`;
}
