import * as api from './index.js';

/** What `import … from 'querygate'` is in an endpoint file. An unknown name is an error, where JavaScript has `undefined`. */
export const PUBLIC_API: object = new Proxy(
  { ...api, __esModule: true },
  {
    get: (target, name, receiver) => {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name, receiver) as unknown;
      // Loaders look for these names in every module.
      if (name === 'default' || name === 'then') return undefined;
      throw new Error(`querygate has no export ${name}; it has ${Object.keys(api).sort().join(', ')}`);
    },
  },
);
