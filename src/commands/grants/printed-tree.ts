/** A line of a tree that ClickHouse prints, and the lines that are indented below it. */
export interface Line {
  readonly text: string;
  readonly children: readonly Line[];
}

interface OpenLine extends Line {
  readonly indent: number;
  readonly children: OpenLine[];
}

/** Reads the output of EXPLAIN AST or EXPLAIN QUERY TREE, one element per line. */
export function readPrintedTree(lines: readonly string[]): Line {
  const root: OpenLine = { text: '', indent: -1, children: [] };
  const open = [root];
  for (const line of lines) {
    const text = line.trimStart();
    const indent = line.length - text.length;
    while (open.length > 1 && (open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const child: OpenLine = { text, indent, children: [] };
    open.at(-1)?.children.push(child);
    open.push(child);
  }
  return root;
}
