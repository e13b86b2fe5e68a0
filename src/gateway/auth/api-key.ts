import { hash, randomBytes } from 'node:crypto';

/** Generates a key of 256 random bits: nobody can find it from its SHA-256 by guessing, so no slow hash is needed. */
export function generateApiKey(): string {
  return `qg_${randomBytes(32).toString('base64url')}`;
}

/** The form in which a key is stored: SHA-256 of its UTF-8 bytes, 64 hexadecimal digits. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}
