/**
 * The process of the embedded ClickHouse server: the engine out of libchdb, made to listen for HTTP. Plain JavaScript,
 * because it is spawned from its source in tests and from dist/ otherwise.
 *
 * Arguments: path of libchdb, path of the configuration file. Standard input is the parent's life line: when it ends,
 * so does this process, whatever ended the parent.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { DataType, isNullPointer, load, open } from 'ffi-rs';

const [libraryFile = '', configFile = ''] = process.argv.slice(2);
const LIBRARY = 'chdb';

process.title = 'querygate-clickhouse';
// process.exit() would wait for the engine's thread, which never ends; the engine loses nothing it acknowledged.
const die = () => process.kill(process.pid, 'SIGKILL');
process.stdin.once('end', die).once('error', die).resume();

await admitOwnSessionOnly();
open({ library: LIBRARY, path: libraryFile });
const result = await runEngine();
process.stderr.write(`${errorOf(result)}\n`, die);

/**
 * The engine's own session is always the user `default` without a password. That user is checked by asking this HTTP
 * server, which says yes once, to that session, before the engine listens, and no to everybody after it. It stays
 * open, so that no other process can take its port and say yes.
 */
async function admitOwnSessionOnly() {
  let admitted = false;
  const server = createServer((_request, response) => {
    response.writeHead(admitted ? 403 : 200, { 'content-type': 'application/json', connection: 'close' });
    response.end('{}');
    admitted = true;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.env['QUERYGATE_OWN_SESSION_URL'] = `http://127.0.0.1:${port}/`;
}

/** Comes back only when the engine failed. A thread of its own keeps this one free to notice the parent's end. */
async function runEngine() {
  const forever =
    'SELECT 1 FROM system.numbers WHERE sleepEachRow(1) = 1 FORMAT Null SETTINGS max_block_size = 1, ' +
    'max_execution_time = 0, max_rows_to_read = 0, log_queries = 0';
  const args = [
    'clickhouse-local',
    `--config-file=${configFile}`,
    `--query=SYSTEM START LISTEN HTTP; ${forever}`,
  ];
  const result = await load({
    library: LIBRARY,
    funcName: 'chdb_query_cmdline',
    retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [args.length, args],
    runInNewThread: true,
  });
  return /** @type {import('ffi-rs').JsExternal} */ (result);
}

/** @param {import('ffi-rs').JsExternal} result what `chdb_query_cmdline` gave */
function errorOf(result) {
  /** @param {DataType} retType */
  const call = (retType) =>
    load({
      library: LIBRARY,
      funcName: 'chdb_result_error',
      retType,
      paramsType: [DataType.External],
      paramsValue: [result],
    });
  const error = /** @type {import('ffi-rs').JsExternal} */ (call(DataType.External));
  return isNullPointer(error) ? 'the engine ended' : /** @type {string} */ (call(DataType.String));
}
