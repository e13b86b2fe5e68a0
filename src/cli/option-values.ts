import { InvalidArgumentError } from 'commander';

/** An HTTP address, without a slash at its end. */
export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('It must begin with http:// or https://.');
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be an address alone: no user, query or fragment.');
  }
  return text.replace(/\/+$/, '');
}

/** One more value of an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
