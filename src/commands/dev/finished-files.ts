import { lacksColumns } from '../../endpoint/sql-file/parse-sql-file.js';
import type { ProjectEndpointsOptions } from '../../gateway/server/project-endpoints.js';

/**
 * Loads endpoint files for the tests of a development server, which writes what a new file lacks and reports what is wrong: the tests
 * of such a file run when it changes again, and until then its earlier endpoint, if there is one, stays.
 */
export const FINISHED_FILES: ProjectEndpointsOptions = {
  mayLackColumns: true,
  complete: (loaded, earlier) => {
    const finished = [...loaded.endpoints].filter(([, { file }]) => !lacksColumns(file));
    const there = new Set([...loaded.endpoints.keys(), ...loaded.problems.map(({ file }) => file)]);
    const kept = [...earlier].filter(([file]) => there.has(file));
    return Promise.resolve({ endpoints: new Map([...kept, ...finished]), problems: [] });
  },
};
