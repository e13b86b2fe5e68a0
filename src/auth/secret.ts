/** Fewest bytes of a secret for HMAC-SHA-256: as many as its result has. */
export const MIN_SECRET_BYTES = 32;

/**
 * The bytes of a secret, UTF-8.
 *
 * @param variable the environment variable that it comes from, for the message.
 * @throws Error where they are too few; never with the secret.
 */
export function secretBytes(variable: string, secret: string): Buffer {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length >= MIN_SECRET_BYTES) return bytes;
  throw new Error(
    `${variable} has ${bytes.length} bytes, and has to have ${MIN_SECRET_BYTES} at least: openssl rand -base64 32`,
  );
}
