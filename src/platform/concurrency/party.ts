/** What a share of something scarce is counted by. One form everywhere, so that shares of different things are those of the same parties. */
export type Key = `person ${number}` | `workspace ${number}` | `account ${number}` | `address ${string}`;

/**
 * Those for whom some work is done: the person and the workspace of a request, or the address of a client that is not signed in. Limits
 * hold for each key. Empty: nobody in particular.
 */
export type Party = readonly Key[];

/** Returns a party with the keys of both. */
export function joinParties(one: Party, other: Party): Party {
  return [...new Set([...one, ...other])];
}
