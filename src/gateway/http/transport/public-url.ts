/** Scheme and host of an Express request, by which the client reached the gateway. */
interface Reached {
  readonly protocol: string;
  /** Host of the request; undefined for HTTP/1.0 without a Host header, which Express's type excludes. */
  readonly host: string | undefined;
}

/** A host and an optional port. No other part of a URL matches, and no character that ends a quoted text of a header. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const SCHEME = /^https?$/i;

/**
 * The URL by which the client reaches the gateway, such as `https://gateway.example.com`: `PUBLIC_URL` where it is configured.
 * Otherwise, for this client only, `X-Forwarded-Proto` and `X-Forwarded-Host` of a trusted proxy (Express's setting `trust proxy`),
 * or scheme and host of the request. Undefined where they are missing or malformed.
 */
export function publicUrlOf({ protocol, host }: Reached, configured: string | undefined): string | undefined {
  if (configured !== undefined) return configured;
  if (host === undefined || !SCHEME.test(protocol) || !HOST.test(host)) return undefined;
  const text = `${protocol}://${host}`;
  return URL.canParse(text) ? new URL(text).origin : undefined;
}
