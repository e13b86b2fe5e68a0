/** Whether a text contains a name as a word, with or without its database. */
export function containsName(text: string, name: string): boolean {
  const escaped = name.replaceAll(/\W/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<!\w)${escaped}(?!\w)`).test(text);
}
