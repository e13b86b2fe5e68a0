import type { ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * Answers are data: nothing in them may run, be framed or be sniffed. What concerns documents alone is left out, since
 * each answer would carry it. TLS, and so HSTS, is the proxy's in front.
 */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** What helmet sets on every response, names and values by turns; taken from it once, since it never changes. */
export const SECURITY_HEADERS: readonly string[] = capture();

/** Sets the security headers of a response. */
export function setSecurityHeaders(response: ServerResponse): void {
  for (let at = 0; at < SECURITY_HEADERS.length; at += 2) {
    response.setHeader(SECURITY_HEADERS[at] ?? '', SECURITY_HEADERS[at + 1] ?? '');
  }
}

function capture(): readonly string[] {
  const headers: string[] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => undefined,
  };
  protect({} as never, response as never, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  return headers;
}
