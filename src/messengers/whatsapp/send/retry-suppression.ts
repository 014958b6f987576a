export type RetrySuppression = ReturnType<typeof createRetrySuppression>;

/** Messages whose retry receipts are not answered for the moment. */
export function createRetrySuppression() {
  const suppressed = new Map<object, string>();
  return {
    /** Returns the function that ends it. A message that is suppressed twice stays suppressed until both have ended. */
    suppress(messageId: string) {
      const token = {};
      suppressed.set(token, messageId);
      return () => void suppressed.delete(token);
    },
    // There are few: posts leave one after the other.
    isSuppressed: (messageId: string) => [...suppressed.values()].includes(messageId),
  };
}
