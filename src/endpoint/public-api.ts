import { closestName } from './closest-name.js';
import * as api from './index.js';

/** What `import … from 'querygate'` is in an endpoint file. An unknown name is an error, where JavaScript has `undefined`. */
export const PUBLIC_API: object = new Proxy(
  { ...api, __esModule: true },
  {
    get: (target, name, receiver) => {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name, receiver) as unknown;
      // Loaders look for these names in every module.
      if (name === 'default' || name === 'then') return undefined;
      const names = Object.keys(api).sort();
      const closest = closestName(name, names);
      const suggestion = closest === undefined ? `it has ${names.join(', ')}` : `did you mean ${closest}?`;
      throw new Error(`querygate has no export ${name}; ${suggestion}`);
    },
  },
);
