/** Finds the end of a literal in `'`, `"` or `` ` ``: undefined where it is not closed. */
export function quotedEnd(text: string, start: number): number | undefined {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  return undefined;
}

const COMMENT_MARK = /\/\*|\*\//g;

/** Finds the end of a comment that may hold others: undefined where it is not closed. */
export function blockCommentEnd(text: string, start: number): number | undefined {
  COMMENT_MARK.lastIndex = start;
  let depth = 0;
  for (let mark = COMMENT_MARK.exec(text); mark !== null; mark = COMMENT_MARK.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return COMMENT_MARK.lastIndex;
  }
  return undefined;
}

/** Finds the end of a literal in ‘ ’ or “ ”: undefined where it is not closed, `none` where none begins. */
export function unicodeQuotedEnd(text: string, start: number): number | undefined | 'none' {
  const first = text[start];
  if (first !== '‘' && first !== '“') return 'none';
  // ClickHouse looks for an end only where one, of three bytes, has room.
  if (Buffer.byteLength(text.slice(start + 1, start + 4)) < 3) return 'none';
  const end = text.indexOf(first === '‘' ? '’' : '”', start + 1);
  return end === -1 ? undefined : end + 1;
}

/** The heredocs of a text. */
export interface HeredocTags {
  /** Finds the end of the heredoc that begins at an offset; undefined where none does. */
  readonly endAt: (start: number) => number | undefined;
}

const TAG = /\$\w*(?=\$)/g;
const TAG_AT = /\$\w*\$/y;

/** Finds all tags like `$name$` in one pass, because a search for the end of each unclosed one would be quadratic. */
export function heredocTags(text: string): HeredocTags {
  const lastByTag = new Map<string, number>();
  for (const { 0: tag, index } of text.matchAll(TAG)) lastByTag.set(`${tag}$`, index);
  return {
    endAt: (start) => {
      TAG_AT.lastIndex = start;
      const tag = text[start] === '$' ? TAG_AT.exec(text)?.[0] : undefined;
      if (tag === undefined) return undefined;
      const contents = start + tag.length;
      if ((lastByTag.get(tag) ?? -1) < contents) return undefined;
      return text.indexOf(tag, contents) + tag.length;
    },
  };
}
