/**
 * What the pages for people may do: run and load what this gateway serves, and ask this gateway; nothing else. Small
 * pictures may be data, as Swagger UI's style sheet and the console's icon have them.
 */
export const DOCUMENT_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
