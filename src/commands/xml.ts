/** Characters that mean something in XML. Readers would turn the line breaks of an attribute into spaces. */
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
};
const CHARACTERS = new Map(
  Object.entries(REFERENCES).map(([character, reference]) => [reference, character]),
);

/** Characters that XML 1.0 does not allow, not even as references. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** A text as the content of an element or as the value of an attribute in double quotes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(NOT_XML, '\u{FFFD}')
    .replaceAll(/[&<>"\n\r]/g, (character) => REFERENCES[character] ?? character);
}

/** The text that {@link escapeXml} wrote. */
export function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:amp|lt|gt|quot|#1[03]);/g,
    (reference) => CHARACTERS.get(reference) ?? reference,
  );
}
