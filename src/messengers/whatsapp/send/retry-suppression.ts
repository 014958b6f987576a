/** Messages whose retry receipts are not answered for the moment. */
export interface RetrySuppression {
  /** Returns the function that ends it. A message that is suppressed twice stays suppressed until both have ended. */
  suppress(messageId: string): () => void;
  isSuppressed(messageId: string): boolean;
}

export function createRetrySuppression(): RetrySuppression {
  const suppressed = new Map<object, string>();
  return {
    suppress(messageId) {
      const token = {};
      suppressed.set(token, messageId);
      return () => void suppressed.delete(token);
    },
    // There are few: posts leave one after the other.
    isSuppressed: (messageId) => [...suppressed.values()].includes(messageId),
  };
}
