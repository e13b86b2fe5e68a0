/** What the admin API answered, and what was wrong. */
export interface Answer {
  readonly ok: boolean;
  /** Empty where nothing was wrong. */
  readonly detail: string;
}

/** Sends a request without a body to the admin API. Never fails. */
export async function post(path: string): Promise<Answer> {
  try {
    const response = await fetch(new URL(path, document.baseURI), { method: 'POST', credentials: 'omit' });
    if (response.ok) return { ok: true, detail: '' };
    const { detail = `The gateway returned ${response.status}.` } =
      (await response.json()) as Partial<Answer>;
    return { ok: false, detail };
  } catch (error) {
    return { ok: false, detail: `The gateway does not respond: ${(error as Error).message}.` };
  }
}
