import { draw, drawOne } from './draws.js';

const USER_AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
];

/** The device that goes with each of the user agents. */
const DEVICES = ['mobile', 'desktop', 'mobile', 'desktop', 'tablet', 'desktop'];

/**
 * SQL for `visitor`, `ip` and `user_agent`: some come often, most seldom, and each keeps address and browser. The addresses
 * are those set aside for benchmarks (RFC 2544), so nobody's.
 */
export const VISITOR = `
  toUInt32(30000 * pow(${draw('visitor')}, 2)) AS visitor,
  IPv4NumToString(toUInt32(toUInt32(toIPv4('198.18.0.0')) + visitor * 4 + 1)) AS ip,
  ${drawOne(USER_AGENTS, 'user agent', 'visitor')} AS user_agent`;

/** SQL for the visitor's device. */
export const DEVICE = drawOne(DEVICES, 'user agent', 'visitor');
