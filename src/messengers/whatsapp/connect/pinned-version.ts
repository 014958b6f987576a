/** The version of WhatsApp's client that this release claims to be, and the day of its publication. `npm run release` renews both. */
export const PINNED_VERSION: [number, number, number] = [2, 3000, 1043857760];
export const PINNED_ON = '2026-07-25';
