import { styleText } from 'node:util';

export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'dim';

/** Where a text is written, and the environment, which together decide whether it is coloured. */
export interface Target {
  readonly stream: { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Colours a text for a terminal; unchanged for other streams, and where NO_COLOR is set. */
export function paint(style: Style, text: string, { stream, environment }: Target): string {
  const plain = !stream.isTTY || (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  // styleText must not decide: it would read the environment of this process.
  return plain ? text : styleText(style, text, { validateStream: false });
}

/** Standard output or standard error of this process, as a target. */
export function targetOf(stream: NodeJS.WriteStream): Target {
  return { stream, environment: process.env };
}
