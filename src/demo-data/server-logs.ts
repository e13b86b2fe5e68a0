import { drawBelow, drawOne } from './draws.js';
import { bare } from './json-text.js';
import { fillLineLog } from './line-logs.js';

/** SQL that fills the database logs, whose severities are PostgreSQL's. */
export const FILL_DATABASE_LOGS = fillLineLog({
  table: 'database_logs',
  usual: [
    { share: 22, level: 'LOG', message: 'connection received: host=10.0.4.12 port=:id' },
    {
      share: 22,
      level: 'LOG',
      message: 'connection authenticated: identity="authenticator" method=scram-sha-256',
    },
    {
      share: 20,
      level: 'LOG',
      message: 'disconnection: session time: 0:00:01.204 user=authenticator database=postgres',
    },
    {
      share: 14,
      level: 'LOG',
      message: 'duration: :ms ms  statement: SELECT * FROM orders WHERE customer_id = :id',
    },
    { share: 6, level: 'LOG', message: 'checkpoint complete: wrote :id buffers' },
    { share: 6, level: 'LOG', message: 'automatic vacuum of table "postgres.public.orders": index scans: 1' },
    { share: 5, level: 'ERROR', message: 'duplicate key value violates unique constraint "orders_pkey"' },
    { share: 3, level: 'ERROR', message: 'new row violates row-level security policy for table "carts"' },
    { share: 2, level: 'WARNING', message: 'there is no transaction in progress' },
  ],
  failing: [
    {
      share: 6,
      level: 'FATAL',
      message: 'remaining connection slots are reserved for roles with the SUPERUSER attribute',
    },
    { share: 3, level: 'ERROR', message: 'canceling statement due to statement timeout' },
    { share: 1, level: 'ERROR', message: 'deadlock detected' },
  ],
  levelColumn: 'severity',
  metadata: {
    parsed: {
      error_severity: 'level',
      user_name: drawOne(['authenticator', 'authenticator', 'postgres', 'storage_admin'], 'user'),
      database_name: "'postgres'",
      process_id: bare(`1000 + ${drawBelow(60_000, 'process')}`),
    },
    host: "concat('db-', project)",
  },
  recent: 26_000,
});

/** SQL that fills the realtime logs. */
export const FILL_REALTIME_LOGS = fillLineLog({
  table: 'realtime_logs',
  usual: [
    { share: 34, level: 'info', message: 'phx_join realtime:public:orders' },
    { share: 30, level: 'info', message: 'phx_leave realtime:public:orders' },
    { share: 20, level: 'info', message: 'broadcast to room:chat-:id took :ms ms' },
    { share: 12, level: 'debug', message: 'presence diff of room:chat-:id' },
    { share: 3, level: 'warning', message: 'ClientJoinRateLimitReached: too many joins per second' },
    { share: 1, level: 'error', message: 'InvalidJWTToken: token has expired :id seconds ago' },
  ],
  failing: [
    {
      share: 2,
      level: 'error',
      message: 'UnableToConnectToTenantDatabase: the database accepts no more connections',
    },
    { share: 1, level: 'warning', message: 'replication slot is behind by :id kB' },
  ],
  metadata: { external_id: 'project', node: "'realtime@10.0.7.3'" },
  recent: 18_000,
});

/** SQL that fills the connection pooler logs. */
export const FILL_POOLER_LOGS = fillLineLog({
  table: 'pooler_logs',
  usual: [
    { share: 40, level: 'info', message: 'ClientHandler: client connected from 10.0.4.12, port :id' },
    { share: 38, level: 'info', message: 'ClientHandler: socket closed' },
    { share: 15, level: 'info', message: 'DbHandler: connection of the pool ready after :ms ms' },
    { share: 5, level: 'warning', message: 'DbHandler: query waited :ms ms for a connection' },
    { share: 2, level: 'error', message: 'ClientHandler: authentication of user "authenticator" failed' },
  ],
  failing: [
    { share: 3, level: 'error', message: 'MaxClientsInSessionMode: max clients reached' },
    { share: 1, level: 'error', message: 'DbHandler: connection closed while in use' },
  ],
  metadata: {
    tenant: 'project',
    mode: drawOne(['transaction', 'transaction', 'session'], 'mode'),
    user: "'authenticator'",
    instance: `concat('pooler-', toString(1 + ${drawBelow(4, 'instance')}))`,
  },
  recent: 26_000,
});
