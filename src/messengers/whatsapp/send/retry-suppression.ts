/** Messages that nobody gets an answer about just now, should a phone ask for them again. */
export interface Holds {
  /** Answers with what ends it. One that is held twice is held until both have ended. */
  hold(messageId: string): () => void;
  has(messageId: string): boolean;
}

export function createRetrySuppression(): Holds {
  const held = new Map<object, string>();
  return {
    hold(messageId) {
      const hold = {};
      held.set(hold, messageId);
      return () => void held.delete(hold);
    },
    // A few at most: posts leave one after the other.
    has: (messageId) => [...held.values()].includes(messageId),
  };
}
