import { Command } from 'commander';

/** `querygate serve`: the gateway itself, as `npm start` runs it. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Serves the endpoints over HTTP until SIGTERM or SIGINT.')
    .addHelpText(
      'after',
      `
The environment says all else (CLICKHOUSE_URL, API_KEY, PORT …; the README lists it). Without CLICKHOUSE_URL the
gateway starts a ClickHouse of its own, with demonstration data.

Examples:
  querygate serve
  PORT=9000 API_KEY=secret querygate serve
  CLICKHOUSE_URL=http://clickhouse:8123 CLICKHOUSE_USER=querygate API_KEYS_FILE=keys.yaml querygate serve

Exit codes: 0 stopped in order; 1 can’t start, or stopped with requests unfinished; 2 wrong usage.`,
    )
    .action(async () => {
      // Other commands need not wait for the gateway's modules.
      const { serve } = await import('../server/serve.js');
      await serve(process.env);
    });
}
