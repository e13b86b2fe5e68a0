import { TIMES, type Times } from '../execution/representation.js';

/**
 * How a caller prefers times, by its `Prefer` header (`timestamps=unix-micros`, RFC 7240); undefined where that says
 * nothing that there is. Of several the first counts; parameters after a semicolon are passed over.
 */
export function preferredTimes(header: string | undefined): Times | undefined {
  for (const preference of header?.split(',') ?? []) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] ?? '').split('=', 2);
    if (name.trim().toLowerCase() !== 'timestamps') continue;
    const asked = value
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase();
    return TIMES.find((times) => times === asked);
  }
  return undefined;
}
