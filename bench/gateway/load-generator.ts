/**
 * The load generator's process. It costs less CPU per request than bare Node: plain sockets, requests that are ready to
 * send, and no more of a response read than proves it complete. Each message is a load.
 */
import type { Load } from './generate-load.js';
import { sendLoad } from './send-load.js';

process.on('message', (load: Load) => {
  void sendLoad(load).then((result) => process.send?.(result));
});
