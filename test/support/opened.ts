/** What a test file opens, by the way in which it is closed. */
type Closable =
  { readonly close: () => unknown } | { readonly stop: () => unknown } | { readonly remove: () => unknown };

/**
 * Opens what the tests of a file, or of a block, share before the first of them, and closes it after the last.
 *
 * @returns what is open: its properties are those of what was opened last.
 */
export function openForAll<T extends Closable>(open: () => Promise<T>): T {
  const { opened, start, end } = slotFor(open);
  beforeAll(start);
  afterAll(end);
  return opened;
}

/** Like {@link openForAll}, anew for each test. */
export function openForEach<T extends Closable>(open: () => Promise<T>): T {
  const { opened, start, end } = slotFor(open);
  beforeEach(start);
  afterEach(end);
  return opened;
}

function slotFor<T extends Closable>(
  open: () => Promise<T>,
): {
  readonly opened: T;
  readonly start: () => Promise<void>;
  readonly end: () => Promise<void>;
} {
  let current: T | undefined;
  const opened = new Proxy({} as T, {
    get: (_none, name) => {
      if (!current) throw new Error(`${String(name)} is read while nothing is open`);
      const value: unknown = Reflect.get(current, name);
      const isMethod = typeof value === 'function' && !Object.hasOwn(current, name);
      return isMethod ? (value.bind(current) as unknown) : value;
    },
  });
  return {
    opened,
    start: async () => {
      current = await open();
    },
    end: async () => {
      if (!current) return;
      const closing = current;
      current = undefined;
      await ('close' in closing ? closing.close() : 'stop' in closing ? closing.stop() : closing.remove());
    },
  };
}
