/** How many queries run at a time, and how many wait. */
interface Places {
  readonly slots: number;
  readonly maxWaiting: number;
}

/** One worker's share of the places for queries, so that all workers together keep within what was configured. */
export function shareOfPlaces<Given extends Places>(admission: Given, workers: number): Given {
  return {
    ...admission,
    slots: Math.max(1, Math.floor(admission.slots / workers)),
    maxWaiting: Math.ceil(admission.maxWaiting / workers),
  };
}
