/**
 * The content security policy of the HTML pages: scripts, styles and requests from this gateway only. Images may be data
 * URLs, which Swagger UI's style sheet and the console's icon use.
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
