import type { Encoding } from '../query/endpoint-result.js';

/** A strong entity tag (RFC 9110, 8.8.3), different for each encoding because the bytes differ. */
export function entityTag(digest: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
}

/** Whether `If-None-Match` names the tag (RFC 9110, 13.1.2: by weak comparison). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return (
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((listed) => listed.trim().replace(/^W\//, '') === tag)
  );
}
