/** The result of an operation on a file or folder; undefined where the file or folder does not exist. @throws every other error */
export async function ifPresent<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
