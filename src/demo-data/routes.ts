import type { Shared } from './draws.js';

/** A request that an API of every project knows. */
export interface Route extends Shared {
  /** Null: that of the function. */
  readonly method: string | null;
  /** `:id` stands for a number, `:function` for one of the project's functions. */
  readonly path: string;
  readonly search?: string;
  /** Status of an answer when all is well. */
  readonly done: number;
  /** Status when the request is at fault. */
  readonly refused: number;
}

const REST: readonly Route[] = [
  { share: 15, method: 'GET', path: '/rest/v1/orders', search: '?select=*', done: 200, refused: 401 },
  {
    share: 7,
    method: 'GET',
    path: '/rest/v1/orders',
    search: '?select=id,total,items(*)&order=created_at.desc&limit=20',
    done: 206,
    refused: 416,
  },
  { share: 13, method: 'GET', path: '/rest/v1/products', search: '?select=*', done: 200, refused: 401 },
  {
    share: 8,
    method: 'GET',
    path: '/rest/v1/products',
    search: '?select=*&id=eq.:id',
    done: 200,
    refused: 406,
  },
  { share: 4, method: 'POST', path: '/rest/v1/orders', done: 201, refused: 409 },
  { share: 5, method: 'PATCH', path: '/rest/v1/carts', search: '?id=eq.:id', done: 204, refused: 403 },
  { share: 4, method: 'POST', path: '/rest/v1/rpc/search_products', done: 200, refused: 404 },
  { share: 2, method: 'DELETE', path: '/rest/v1/carts', search: '?id=eq.:id', done: 204, refused: 403 },
];

const TOKEN = { method: 'POST', path: '/auth/v1/token', done: 200, refused: 400 };

const AUTH: readonly Route[] = [
  { ...TOKEN, share: 9, search: '?grant_type=refresh_token' },
  { ...TOKEN, share: 2, search: '?grant_type=password' },
  { share: 3, method: 'GET', path: '/auth/v1/user', done: 200, refused: 403 },
  { share: 1, method: 'POST', path: '/auth/v1/signup', done: 200, refused: 422 },
];

const STORAGE: readonly Route[] = [
  {
    share: 6,
    method: 'GET',
    path: '/storage/v1/render/image/public/products/:id.webp',
    search: '?width=640',
    done: 200,
    refused: 404,
  },
  { share: 5, method: 'GET', path: '/storage/v1/object/public/avatars/:id.png', done: 304, refused: 404 },
  { share: 1, method: 'POST', path: '/storage/v1/object/invoices/:id.pdf', done: 200, refused: 413 },
];

/** What the users of a project ask for, by API; all the shares together are 100. */
export const ROUTES = {
  rest: REST,
  auth: AUTH,
  storage: STORAGE,
  realtime: [
    {
      share: 6,
      method: 'GET',
      path: '/realtime/v1/websocket',
      search: '?vsn=1.0.0',
      done: 101,
      refused: 403,
    },
  ],
  functions: [{ share: 9, method: null, path: '/functions/v1/:function', done: 200, refused: 400 }],
} as const satisfies Readonly<Record<string, readonly Route[]>>;
