import { lacksColumns } from '../../endpoint/sql-file/parse-sql-file.js';
import type { ProjectEndpointsOptions } from '../../gateway/server/project-endpoints.js';

/**
 * Loads endpoint files for the tests of a development server, which completes new files and reports problems. The tests of an
 * incomplete file run when the file changes again. Until then its earlier endpoint stays, if there is one.
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
