import type { VNode } from 'preact';

import { digitGroups } from '../model/exact-number.js';

/** A number in groups of three digits, which only the style sheet separates: what is copied and searched is the number. */
export function Digits({ text }: { readonly text: string }): VNode {
  const groups = digitGroups(text);
  if (groups.length === 1) return <>{text}</>;
  return (
    <>
      {groups.map((digits, index) => (
        <span key={index} class="digits">
          {digits}
        </span>
      ))}
    </>
  );
}
