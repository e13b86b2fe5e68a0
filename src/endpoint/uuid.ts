const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the strict textual form of a UUID (RFC 9562): 8-4-4-4-12 hexadecimal digits. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
