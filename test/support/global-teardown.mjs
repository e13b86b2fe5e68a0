/** Stops what the global set-up started. */
export default async function tearDown() {
  const servers = globalThis.__servers;
  if (servers === undefined) return;
  globalThis.__servers = undefined;
  await (await servers).stop();
}
