export type Rotation = ReturnType<typeof createRoundRobin>;

/** Round robin: an order of service when there is no room for all at once. */
export function createRoundRobin() {
  let turn = 0;
  let lastTurns = new Map<number, number>();
  const lastTurn = (id: number) => lastTurns.get(id) ?? 0;
  return {
    /** Returns the ids in the order of their turns: never served first, as given, then least recently served. Forgets all other ids. */
    order<Id extends number>(ids: readonly Id[]): Id[] {
      lastTurns = new Map(ids.map((id) => [id, lastTurn(id)]));
      return ids.toSorted((one, other) => lastTurn(one) - lastTurn(other));
    },
    /** Records that they were served now. */
    served(ids: readonly number[]) {
      turn++;
      for (const id of ids) lastTurns.set(id, turn);
    },
  };
}
