import { createHash } from 'node:crypto';

/**
 * Chooses what the internal names of a statement begin with: by its text, so that equal statements are equal texts.
 *
 * @param text in which the tables have no names yet
 * @param isUsed whether a text that the names are put beside has this beginning
 */
export function internalPrefix(text: string, isUsed: (beginning: string) => boolean): string {
  for (let attempt = 0; ; attempt += 1) {
    const digest = createHash('sha256').update(`${attempt} ${text}`).digest('hex');
    const prefix = `_q${digest.slice(0, 8)}_`;
    if (!isUsed(prefix)) return prefix;
  }
}
