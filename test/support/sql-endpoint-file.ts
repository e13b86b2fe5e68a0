/** The text of a `.sql` endpoint file. @param header lines of YAML beside name, id and summary */
export const sqlEndpointFile = (name: string, header: readonly string[], select: string): string =>
  [
    '/*',
    `name: ${name}`,
    'id: 61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    'summary: For a test.',
    ...header,
    '*/',
    select,
  ].join('\n');
