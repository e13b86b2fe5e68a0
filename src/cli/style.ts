// node:util has styleText only from Node 20.12 on, and engines says 20.9.
const CODES = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], dim: [2, 22] } as const;

export type Style = keyof typeof CODES;

/** What decides on colours: where the text goes, and the environment. */
export interface Target {
  readonly stream: { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The text in a colour where it goes to a terminal whose user did not say NO_COLOR; else as it is. */
export function paint(style: Style, text: string, { stream, environment }: Target): string {
  const plain = !stream.isTTY || (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  if (plain) return text;
  const [start, end] = CODES[style];
  return `\u001b[${start}m${text}\u001b[${end}m`;
}

/** Standard output or standard error of this process, as a target. */
export function targetOf(stream: NodeJS.WriteStream): Target {
  return { stream, environment: process.env };
}
