import type { Encoding, EndpointResult } from '../../query/endpoint-result.js';

/**
 * The entity tag of a result in an encoding (RFC 9110, 8.8.3): strong, and different for each encoding because the bytes
 * differ; weak where the digest does not cover all bytes.
 */
export function entityTag(
  { digest, hasWeakDigest }: Pick<EndpointResult, 'digest' | 'hasWeakDigest'>,
  encoding: Encoding,
): string {
  const tag = encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
  return hasWeakDigest ? `W/${tag}` : tag;
}

/** Whether `If-None-Match` names the tag (RFC 9110, 13.1.2: by weak comparison). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).map(opaque).includes(opaque(tag));
}

/** Whether `If-Match` is absent or names the tag (RFC 9110, 13.1.1: by strong comparison). */
export function allowsEntityTag(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return isStrong(tag) && tagsIn(ifMatch).includes(tag);
}

/** Whether `If-Range` is absent or is the tag (RFC 9110, 13.1.5: by strong comparison). A date never is. */
export function isSameEntity(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || (isStrong(tag) && ifRange.trim() === tag);
}

const isStrong = (tag: string): boolean => !tag.startsWith('W/');

const opaque = (tag: string): string => tag.replace(/^W\//, '');

const tagsIn = (list: string): readonly string[] => list.split(',').map((tag) => tag.trim());
