import { compareNumber, isLosslessNumber, type LosslessNumber } from 'lossless-json';

import type { Cell } from './endpoint.js';

/** A number of a response, which keeps the digits that ClickHouse wrote. */
export const isExact = (value: Cell | undefined): value is LosslessNumber => isLosslessNumber(value);

/** Compares two numbers by all of their digits. */
export function compareExact(left: LosslessNumber, right: LosslessNumber): number {
  // The digits matter only where both are rounded to the same number.
  return Number(left.value) - Number(right.value) || compareNumber(left.value, right.value);
}

/** The sum of two numbers: exact, unless one of them has an exponent. */
export function addExact(left: string, right: string): string {
  if (/e/i.test(left + right)) return String(Number(left) + Number(right));
  const places = Math.max(placesOf(left), placesOf(right));
  const sum = scaled(left, places) + scaled(right, places);
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  const whole = `${sum < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}`;
  return places === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}

const placesOf = (text: string): number => (/\.(\d*)/.exec(text)?.[1] ?? '').length;

/** The number without its decimal point, in units of 10^-places. */
const scaled = (text: string, places: number): bigint =>
  BigInt(text.replace('.', '')) * 10n ** BigInt(places - placesOf(text));

/**
 * The digits of a number in groups of three where more than four are before the decimal point, otherwise in one group. The
 * groups together are the number.
 */
export function digitGroups(text: string): readonly string[] {
  const [, whole = '', fraction = ''] = /^(-?\d{5,})(\.\d+)?$/.exec(text) ?? [];
  if (whole === '') return [text];
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ' ')}${fraction}`.split(' ');
}
