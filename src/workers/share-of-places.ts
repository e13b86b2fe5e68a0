/** How many queries run at a time, and how many wait. */
interface Places {
  readonly slots: number;
  readonly maxWaiting: number;
}

/**
 * One worker's share of the places for queries. The shares of all workers together are exactly what was configured; of
 * places that can't be divided evenly the first workers have one more.
 *
 * @param workers how many there are; at most as many as there are slots, or else some would have none.
 * @param number of this worker, from 0.
 */
export function shareOfPlaces<Given extends Places>(
  admission: Given,
  workers: number,
  number: number,
): Given {
  const share = (places: number): number =>
    Math.floor(places / workers) + (number < places % workers ? 1 : 0);
  return { ...admission, slots: share(admission.slots), maxWaiting: share(admission.maxWaiting) };
}
