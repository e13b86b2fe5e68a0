import { Option } from 'commander';

import { usageError } from './exit-codes.js';
import { httpUrl, urlIn } from './option-values.js';

/** The options that name a running gateway, as commander parses them. */
export interface GatewayOptions {
  readonly url?: string;
  readonly key?: string;
}

/** A running gateway and the key for it. */
export interface Gateway {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** The option `--url`. */
export function urlOption(): Option {
  return new Option(
    '--url <url>',
    'URL of the gateway (default: QUERYGATE_URL, else http://127.0.0.1:8080)',
  ).argParser(httpUrl);
}

/** The option `--key`. */
export function keyOption(): Option {
  return new Option('--key <key>', 'the API key (default: QUERYGATE_KEY, else API_KEY)');
}

/**
 * The gateway that options and environment variables name. Commander itself reads variables too early, before the project's
 * .env is applied.
 *
 * @throws CommandError (invalid usage) where QUERYGATE_URL is no URL, or the key contains invalid characters.
 */
export function gatewayOf({ url, key }: GatewayOptions): Gateway {
  const fromVariable = variable('QUERYGATE_URL');
  const target =
    url ?? (fromVariable === undefined ? 'http://127.0.0.1:8080' : urlIn('QUERYGATE_URL', fromVariable));
  const apiKey = key ?? variable('QUERYGATE_KEY') ?? variable('API_KEY');
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw usageError(
      'The API key contains characters that no key has, such as spaces or line breaks. Check --key or QUERYGATE_KEY.',
    );
  }
  return { url: target, apiKey };
}

/** The value of an environment variable; undefined where it is empty. */
function variable(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}
