import { bare } from './endpoint.js';

/** What stands for the text of a value where values are sorted: a number, or a text in whose order they are. */
export type SortKey = (text: string) => number | string;

/** The keys of a type whose values are not in the order of their texts, also of those in arrays. */
export function sortKeyOf(type: string): SortKey {
  const item = bare(type.replaceAll('Array(', ''));
  if (item.startsWith('IPv4')) return ipv4Key;
  if (item.startsWith('IPv6')) return ipv6Key;
  // A day has 24 hours, and a value of this type up to 999.
  if (/^Time(?:64)?\b/.test(item)) return secondsOfTime;
  if (item.startsWith('Enum')) return enumKey(item);
  return (text) => text;
}

const ipv4Key: SortKey = (text) =>
  text.split('.').reduce((address, octet) => address * 256 + Number(octet), 0);

/** All groups of an address with all of their digits. */
function ipv6Key(text: string): string {
  const hexadecimal = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...octets: readonly string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.slice(0, 4).map(Number);
    return [256 * a + b, 256 * c + d].map((group) => group.toString(16)).join(':');
  });
  const [head = [], tail] = hexadecimal
    .split('::')
    .map((part) => part.split(':').filter((one) => one !== ''));
  const zeros = tail ? new Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('') : [];
  return [...head, ...zeros, ...(tail ?? [])].map((group) => group.padStart(4, '0')).join(':');
}

/** Seconds of a time such as `-101:02:03.5`. */
function secondsOfTime(text: string): number {
  const seconds = text
    .replace('-', '')
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
  return text.startsWith('-') ? -seconds : seconds;
}

/** Sorts by the numbers of an enum's type. A value without a number has the number after that of the value before. */
function enumKey(type: string): SortKey {
  const numbers = new Map<string, number>();
  let number = 0;
  for (const [, name = '', given] of type.matchAll(/'((?:[^'\\]|\\.|'')*)'(?: ?= ?(-?\d+))?/gs)) {
    number = given === undefined ? number + 1 : Number(given);
    numbers.set(
      name.replaceAll(/[\\'](.)/gs, (_, character: string) => character),
      number,
    );
  }
  return (text) => numbers.get(text) ?? text;
}
