/** Shortest secret for HMAC-SHA-256, in bytes: the length of its output. */
export const MIN_SECRET_BYTES = 32;

/**
 * The UTF-8 bytes of a secret.
 *
 * @param variable the environment variable of the secret, for the message.
 * @throws Error when it is too short; the message does not contain the secret.
 */
export function secretBytes(variable: string, secret: string): Buffer {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length >= MIN_SECRET_BYTES) return bytes;
  throw new Error(
    `${variable} has ${bytes.length} bytes and must have at least ${MIN_SECRET_BYTES}; generate one: openssl rand -base64 32`,
  );
}
