import { createHash, randomBytes } from 'node:crypto';

/** A fresh key: 256 random bits, so that its plain SHA-256 can't be turned back by guessing. */
export function generateApiKey(): string {
  return `qg_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a key: SHA-256 over its UTF-8 bytes, 64 hexadecimal digits. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
