/** What the admin API answered: what was wrong, and where in the files of the project. */
export interface Answer {
  readonly ok: boolean;
  readonly detail: string;
  readonly problems: readonly ProjectProblem[];
}

/** Something wrong in a file, or of an endpoint, as the admin API says it. */
export interface ProjectProblem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly problem: string;
  readonly excerpt?: string;
}

/** Sends a request without a body to the admin API. Never fails. */
export async function post(path: string): Promise<Answer> {
  try {
    const response = await fetch(new URL(path, document.baseURI), { method: 'POST', credentials: 'omit' });
    if (response.ok) return { ok: true, detail: '', problems: [] };
    const { detail = `The gateway returned ${response.status}.`, problems = [] } =
      (await response.json()) as Partial<Answer>;
    return { ok: false, detail, problems };
  } catch (error) {
    return { ok: false, detail: `The gateway does not respond: ${(error as Error).message}.`, problems: [] };
  }
}
