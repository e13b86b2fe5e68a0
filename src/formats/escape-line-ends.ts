/** Characters beyond ASCII that end a line, as UTF-8, with their escapes in JSON. */
const LINE_ENDS = ['\u0085', '\u2028', '\u2029'].map((character) => ({
  bytes: Buffer.from(character),
  escape: Buffer.from(`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
}));

/**
 * Escapes the characters U+0085, U+2028 and U+2029 in JSON, where they can stand in texts only. JSON allows them raw, but
 * programs that split a response into lines take them for the end of one: `str.splitlines` of Python, `iter_lines` of httpx.
 * ClickHouse writes U+0085 raw, and JSON that it stores as a text raw altogether.
 */
export function escapeLineEnds(json: Buffer): Buffer {
  return LINE_ENDS.reduce((text, { bytes, escape }) => replaceBytes(text, bytes, escape), json);
}

function replaceBytes(text: Buffer, bytes: Buffer, replacement: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let done = 0;
  for (let at = text.indexOf(bytes); at !== -1; at = text.indexOf(bytes, done)) {
    pieces.push(text.subarray(done, at), replacement);
    done = at + bytes.length;
  }
  return pieces.length === 0 ? text : Buffer.concat([...pieces, text.subarray(done)]);
}
