import { Document, visit } from 'yaml';

/** An empty document, in the YAML that the header of a `.sql` file is read as. */
export const newHeader = (): Document => new Document({}, { version: '1.2', schema: 'core' });

/** The text of a header, in which no characters end the comment around it. */
export function headerText(header: Document): string {
  visit(header, {
    Scalar: (_key, node) => {
      if (String(node.value).includes('*/')) node.type = 'QUOTE_DOUBLE';
    },
  });
  const text = header.toString({ lineWidth: 0, blockQuote: false });
  return text.trimEnd().replaceAll('*/', String.raw`*\/`);
}
