import stringWidth from 'string-width';

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** What terminals draw over two columns, whatever its code points are. */
const EMOJI = /\p{Emoji_Presentation}|\u{FE0F}/u;
const PRINTABLE_ASCII = /^[\x20-\x7E]*$/;

/** Columns of a terminal that a text without control characters takes. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += segmentWidth(segment);
  return width;
}

/** The text, or its beginning with an ellipsis where it is wider than so many columns. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    width += segmentWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const segmentWidth = (segment: string): number => (EMOJI.test(segment) ? 2 : stringWidth(segment));
