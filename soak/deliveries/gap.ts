/** The gap between two posts of accounts that are paced. */
export const GAP = { minMs: 40, maxMs: 90 };
