/** Of an Express request. */
interface Reached {
  readonly protocol: string;
  /** Undefined in a request of HTTP/1.0 without Host, unlike in the type of Express. */
  readonly host: string | undefined;
}

/** A host and perhaps a port: nothing else of a URL, and nothing that ends a quoted text of a header. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const SCHEME = /^https?$/i;

/**
 * The URL by which the client reaches the gateway, such as `https://gateway.example.com`: `PUBLIC_URL` where it is configured. Else,
 * for nobody but this client, `X-Forwarded-Proto` and `X-Forwarded-Host` of a trusted proxy (Express's setting `trust proxy`), or
 * the scheme and the host of the request. Undefined where they are missing or malformed.
 */
export function publicUrlOf({ protocol, host }: Reached, configured: string | undefined): string | undefined {
  if (configured !== undefined) return configured;
  if (host === undefined || !SCHEME.test(protocol) || !HOST.test(host)) return undefined;
  const text = `${protocol}://${host}`;
  return URL.canParse(text) ? new URL(text).origin : undefined;
}
