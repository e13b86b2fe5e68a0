/**
 * Reads the URL of a gateway for callers, such as `https://example.com/querygate`. Removes a slash at its end.
 *
 * @throws Error whose text continues after the name of the variable or option that has the URL.
 */
export function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error('must begin with http:// or https://');
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    throw new Error('must have no user, query string or fragment');
  return url.origin + url.pathname.replace(/\/+$/, '');
}
