import { styleText } from 'node:util';

export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'dim';

/** What decides on colours: where the text goes, and the environment. */
export interface Target {
  readonly stream: { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The text in a colour where it goes to a terminal whose user did not say NO_COLOR; else as it is. */
export function paint(style: Style, text: string, { stream, environment }: Target): string {
  const plain = !stream.isTTY || (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  // Not for styleText to decide: it knows the environment of this process alone.
  return plain ? text : styleText(style, text, { validateStream: false });
}

/** Standard output or standard error of this process, as a target. */
export function targetOf(stream: NodeJS.WriteStream): Target {
  return { stream, environment: process.env };
}
