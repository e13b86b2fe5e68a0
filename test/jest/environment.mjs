import process from 'node:process';

/** The process of a worker as it is; see `runtime.mjs`. */
class NativeEnvironment {
  global = globalThis;
  #console = console;
  #exit = process.exit;

  async setup() {
    // Jest's has no source maps of modules that Node itself has loaded.
    Reflect.deleteProperty(Error, 'prepareStackTrace');
  }

  async teardown() {
    globalThis.console = this.#console;
    process.exit = this.#exit;
  }

  getVmContext() {
    return null;
  }
}

export { NativeEnvironment as default };
