/** Characters beyond ASCII that end a line, as UTF-8. */
const LINE_ENDS = ['\u0085', '\u2028', '\u2029'].map((character) => Buffer.from(character));

/** UTF-8 of U+0085, and of U+2028 and U+2029. */
const [C2, X85, E2, X80, XA8, XA9] = [0xc2, 0x85, 0xe2, 0x80, 0xa8, 0xa9] as const;

const NEXT_LINE = Buffer.from(String.raw`\u0085`);
const LINE_SEPARATOR = Buffer.from(String.raw`\u2028`);
const PARAGRAPH_SEPARATOR = Buffer.from(String.raw`\u2029`);
const ESCAPE_BYTES = 6;
const NEXT_LINE_BYTES = 2;
const SEPARATOR_BYTES = 3;

/**
 * Escapes the characters U+0085, U+2028 and U+2029 in JSON, where they can stand in texts only. JSON allows them raw, but
 * programs that split a response into lines take them for the end of one: `str.splitlines` of Python, `iter_lines` of httpx.
 * ClickHouse writes U+0085 raw, and JSON that it stores as a text raw altogether.
 *
 * A text can consist of nothing else. So the cost depends on the bytes alone: two passes and one allocation.
 *
 * @param json UTF-8
 * @param bytes what {@link escapedBytes} returns for it.
 * @returns the same buffer where there is nothing to escape.
 */
export function escapeLineEnds(json: Buffer, bytes = escapedBytes(json)): Buffer {
  return bytes === json.length ? json : escapedInto(Buffer.allocUnsafeSlow(bytes), json);
}

/** Bytes of the text when it is escaped: up to three times as many. */
export function escapedBytes(json: Buffer): number {
  if (LINE_ENDS.every((character) => !json.includes(character))) return json.length;
  let bytes = json.length;
  for (let at = 0; at < json.length; at += 1) {
    const length = lineEndAt(json, at);
    if (length > 0) bytes += ESCAPE_BYTES - length;
  }
  return bytes;
}

function escapedInto(escaped: Buffer, json: Buffer): Buffer {
  let written = 0;
  for (let at = 0; at < json.length;) {
    const length = lineEndAt(json, at);
    if (length === 0) {
      escaped[written] = json[at] ?? 0;
      written += 1;
      at += 1;
    } else {
      const separator = json[at + 2] === XA8 ? LINE_SEPARATOR : PARAGRAPH_SEPARATOR;
      const escape = length === NEXT_LINE_BYTES ? NEXT_LINE : separator;
      // `copy` has a price of its own, which is more than that of six bytes.
      for (let byte = 0; byte < ESCAPE_BYTES; byte += 1) escaped[written + byte] = escape[byte] ?? 0;
      written += ESCAPE_BYTES;
      at += length;
    }
  }
  return escaped;
}

/** Bytes of the character that begins here, where it ends a line; else 0. */
function lineEndAt(json: Buffer, at: number): number {
  const byte = json[at];
  if (byte === C2) return json[at + 1] === X85 ? NEXT_LINE_BYTES : 0;
  if (byte !== E2 || json[at + 1] !== X80) return 0;
  const last = json[at + 2];
  return last === XA8 || last === XA9 ? SEPARATOR_BYTES : 0;
}
