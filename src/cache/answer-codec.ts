import { createHash } from 'node:crypto';

import { inOwnMemory, type Answer, type Bodies } from '../execution/answer.js';

/** Four bytes that no other value begins with; the last is the version of the format. */
export const MAGIC = Buffer.from('QGA1');
const BIRTH_DIGITS = 13;
const CHECKSUM_BYTES = 16;
const LENGTH_BYTES = 4;

/** Where the birth stands: decimal digits, so that Redis can compare two values by it. */
const BIRTH_START = MAGIC.length;
export const BIRTH_END = BIRTH_START + BIRTH_DIGITS;

const CHECKED_START = BIRTH_END + CHECKSUM_BYTES;
const HEADER_START = CHECKED_START + LENGTH_BYTES;

interface Header extends Omit<Answer, 'bodies'> {
  readonly lengths: Readonly<Record<keyof Bodies, number>>;
}

/** The bytes of an answer: magic, birth, checksum of the rest, length of the header, header (JSON), bodies. */
export function encodeAnswer({ bodies, ...facts }: Answer): Buffer {
  const { identity, gzip = Buffer.alloc(0), br = Buffer.alloc(0) } = bodies;
  const header: Header = {
    ...facts,
    lengths: { identity: identity.length, gzip: gzip.length, br: br.length },
  };
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  const rest = Buffer.concat([length, json, identity, gzip, br]);
  return Buffer.concat([MAGIC, Buffer.from(birthOf(facts)), checksumOf(rest), rest]);
}

/** An answer's birth as it stands in its bytes. */
export function birthOf({ bornAt }: Pick<Answer, 'bornAt'>): string {
  return String(bornAt).padStart(BIRTH_DIGITS, '0');
}

/** Reads such bytes; anything else, cut, foreign or of another version, is undefined. */
export function decodeAnswer(bytes: Buffer): Answer | undefined {
  if (bytes.length < HEADER_START || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const rest = bytes.subarray(CHECKED_START);
  if (!bytes.subarray(BIRTH_END, CHECKED_START).equals(checksumOf(rest))) return undefined;
  // Whole, unchanged and of this version: what follows is as encodeAnswer wrote it.
  const headerEnd = HEADER_START + bytes.readUInt32BE(CHECKED_START);
  const { lengths, ...facts } = JSON.parse(bytes.toString('utf8', HEADER_START, headerEnd)) as Header;
  if (bytes.toString('latin1', BIRTH_START, BIRTH_END) !== birthOf(facts)) return undefined;
  return { ...facts, bodies: bodiesOf(inOwnMemory(bytes.subarray(headerEnd)), lengths) };
}

function bodiesOf(bytes: Buffer, { identity, gzip, br }: Header['lengths']): Bodies {
  const gzipEnd = identity + gzip;
  return {
    identity: bytes.subarray(0, identity),
    ...(gzip > 0 && { gzip: bytes.subarray(identity, gzipEnd) }),
    ...(br > 0 && { br: bytes.subarray(gzipEnd, gzipEnd + br) }),
  };
}

const checksumOf = (bytes: Buffer): Buffer =>
  createHash('sha256').update(bytes).digest().subarray(0, CHECKSUM_BYTES);
