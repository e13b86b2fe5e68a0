import type { VNode } from 'preact';

import { clockOf } from '../model/zone.js';
import { useZone } from '../chosen-zone.js';

/** A date, or a time in the zone of the page; what separates its parts and names its offset is less prominent. */
export function TimeText({ text }: { readonly text: string }): VNode {
  const clock = clockOf(text, useZone());
  if (!clock) return <>{text}</>;
  const { date, time, offset } = clock;
  return (
    <>
      {date}
      <span class="muted">T</span>
      {time}
      <span class="muted">{offset}</span>
    </>
  );
}
