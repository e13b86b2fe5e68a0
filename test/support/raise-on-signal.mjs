/**
 * Preloaded into a gateway (`node --import`): raises what nothing handles when the process gets a signal. SIGUSR2 throws,
 * SIGWINCH rejects.
 */
process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw new Error('thrown by a test');
  });
});
process.on('SIGWINCH', () => {
  void Promise.reject(new Error('rejected by a test'));
});
