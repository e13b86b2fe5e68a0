import type { ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * Responses are data: browsers must not execute, frame or sniff them. Headers that matter only for HTML documents are
 * omitted to keep responses small. HSTS is left to the proxy that terminates TLS.
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

/** The headers that helmet sets, as alternating names and values; captured once, because they never change. */
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
