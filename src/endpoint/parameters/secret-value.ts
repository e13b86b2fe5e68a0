import { createHmac, hkdfSync, randomBytes } from 'node:crypto';

import type { ParameterValue } from './parameter.js';

/** Symbol of `inspect.custom` in Node.js. The package's types must not need those of Node.js. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** The value of a parameter that is declared as secret. Printed, logged or hashed, it is an HMAC of the value. */
export class SecretValue {
  readonly #value: ParameterValue;

  /** @param hmac HMAC-SHA-256 of the value, in hexadecimal. */
  constructor(
    value: ParameterValue,
    private readonly hmac: string,
  ) {
    this.#value = value;
  }

  /** The value itself, for ClickHouse alone. */
  reveal(): ParameterValue {
    return this.#value;
  }

  /** The same secret in another form, with the HMAC of the original value. */
  inForm(form: (value: ParameterValue) => ParameterValue): SecretValue {
    return new SecretValue(form(this.#value), this.hmac);
  }

  /** An object, because a caller can send every text: no other value has this JSON. */
  toJSON(): unknown {
    return { hmac: this.hmac };
  }

  toString(): string {
    return `secret (HMAC ${this.hmac.slice(0, 16)})`;
  }

  [INSPECT](): string {
    return this.toString();
  }
}

/** Encloses the value of a secret parameter. */
export type Seal = (value: ParameterValue) => SecretValue;

/**
 * A seal with a key. Gateways with the same key find each other's cached results; without the key, a value of few
 * possibilities cannot be guessed from its HMAC.
 */
export function sealWith(key: Uint8Array): Seal {
  return (value) =>
    new SecretValue(value, createHmac('sha256', key).update(JSON.stringify(value)).digest('hex'));
}

/** Gateways with the same `LINK_SECRET` share results of requests with secret values; a gateway without one shares none. */
export function sealFrom(linkSecret: string | undefined): Seal {
  if (linkSecret === undefined) return sealWith(randomBytes(32));
  return sealWith(new Uint8Array(hkdfSync('sha256', linkSecret, '', 'querygate secret parameters', 32)));
}

/** The value, whether it is secret or not. */
export function revealed<T>(value: T | SecretValue): T | ParameterValue {
  return value instanceof SecretValue ? value.reveal() : value;
}
