/**
 * Preloaded into a gateway (`node --import`): on SIGUSR2 throws an error that nothing catches, on SIGWINCH causes a
 * promise rejection that nothing handles.
 */
process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw new Error('thrown by a test');
  });
});
process.on('SIGWINCH', () => {
  void Promise.reject(new Error('rejected by a test'));
});
