import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** Where jest-circus keeps the listeners of a test file. */
const LISTENERS = Symbol.for('EVENT_HANDLERS');

const nothing = () => undefined;

/**
 * Loads test files with Node's own `import`. Jest's runtime would load the modules of the gateway anew for each file, in a
 * context of its own, which took more time than the tests. So the files that a worker runs share their modules and the globals,
 * and Jest's mocks and fake timers are not available.
 */
class NativeRuntime {
  enterTestCode = nothing;
  leaveTestCode = nothing;
  setGlobalsForRuntime = nothing;
  getAllCoverageInfoCopy = nothing;
  teardown = nothing;
  getSourceMaps = () => new Map();
  unstable_shouldLoadAsEsm = () => true;

  /**
   * @param {string} file of jest-circus, which keeps the state of a test file in its modules
   * @returns {unknown}
   */
  requireInternalModule(file) {
    Reflect.deleteProperty(require.cache, file);
    Reflect.deleteProperty(globalThis, LISTENERS);
    return require(file);
  }

  /**
   * @param {string} file
   * @returns {unknown}
   */
  requireModule(file) {
    return require(file);
  }

  /** @param {string} file */
  async unstable_importModule(file) {
    await import(pathToFileURL(file).href);
  }
}

/** Jest, whose modules are CommonJS, looks for the default export where this is set. */
const isModule = true;

export { NativeRuntime as default, isModule as __esModule };
