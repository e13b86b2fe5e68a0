/**
 * A worker that tells its primary as many answers as ANSWERS says, all in one message, and lives on. It speaks what
 * src/workers/channel.ts and peer.ts speak.
 */
const body = () => Buffer.alloc(2000, 'x');

const told = Array.from({ length: Number(process.env['ANSWERS']) }, (_, n) => ({
  kind: 'tell',
  id: 0,
  method: 'answers.set',
  value: {
    key: { endpointId: 'a', hash: `question ${n}` },
    answer: { bornAt: 1, expiresAt: Infinity, bodies: { identity: body(), gzip: body(), br: body() } },
    keepUntil: Infinity,
  },
}));
process.send?.({ querygate: told });
