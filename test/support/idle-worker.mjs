/** A worker that listens at once, by its own word, and ends when it is told to. See telling-worker.mjs. */
process.on('message', (/** @type {{ querygate?: readonly { method: string }[] }} */ { querygate }) => {
  if (querygate?.some(({ method }) => method === 'worker.stop')) process.exit(0);
});
const where = { url: 'http://127.0.0.1:1', hasClickHouse: true };
process.send?.({ querygate: [{ kind: 'tell', id: 0, method: 'worker.ready', value: where }] });
