import type { ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Answers are data: nothing in them may run, be framed or be sniffed. TLS, and so HSTS, is the proxy's in front. */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
});

/** What helmet sets on every response; taken from it once, since it never changes. */
const HEADERS = capture();

/** Sets the security headers of a response. */
export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of HEADERS) response.setHeader(name, value);
}

function capture(): readonly (readonly [string, string])[] {
  const headers: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  protect({} as never, response as never, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  return headers;
}
