/** Test files are modules that Node itself loads, with swc for TypeScript. */
const base = {
  runtime: '<rootDir>/test/jest/runtime.mjs',
  testEnvironment: '<rootDir>/test/jest/environment.mjs',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
};

/** These tests share one ClickHouse and one Redis, which the global set-up starts or finds. */
const withServers = {
  ...base,
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

export default {
  // Twice the cores of a small machine: many tests wait for servers.
  maxWorkers: 4,
  testTimeout: 240_000,
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...withServers, displayName: 'http', testMatch: ['<rootDir>/test/http/**/*.test.ts'] },
    { ...withServers, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.test.ts'] },
    // The packed tarball, in folders outside of the repository.
    { ...base, displayName: 'package', testMatch: ['<rootDir>/test/package/**/*.test.ts'] },
    // These tests kill, freeze and fill servers and gateways of their own.
    { ...withServers, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
    // Not part of the suite: compares the responses of two versions.
    ...(process.env['RESPONSES'] === undefined
      ? []
      : [{ ...withServers, displayName: 'recorded', testMatch: ['<rootDir>/test/recorded/**/*.test.ts'] }]),
    // Not part of the suite: clients of other registries.
    ...(process.env['CLIENTS'] === undefined
      ? []
      : [{ ...withServers, displayName: 'clients', testMatch: ['<rootDir>/test/clients/**/*.test.ts'] }]),
    // Against a gateway process of their own, in Debian's Chromium.
    { ...withServers, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.test.ts'] },
  ],
};
