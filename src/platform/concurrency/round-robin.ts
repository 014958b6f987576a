/** Who is served before whom, where not all can be at once. */
export interface Rotation {
  /** Those who were served longest ago come first, before them those who never were, in the order given. Forgets everybody else. */
  order(ids: readonly number[]): number[];
  /** They were served just now. */
  served(ids: readonly number[]): void;
}

export function createRoundRobin(): Rotation {
  let turn = 0;
  let lastTurns = new Map<number, number>();
  const lastTurn = (id: number) => lastTurns.get(id) ?? 0;
  return {
    order(ids) {
      lastTurns = new Map(ids.map((id) => [id, lastTurn(id)]));
      return ids.toSorted((one, other) => lastTurn(one) - lastTurn(other));
    },
    served(ids) {
      turn++;
      for (const id of ids) lastTurns.set(id, turn);
    },
  };
}
