/** What follows the code of a failure, and its reason where there is one: what it means, and what to do. */
const ADVICE: ReadonlyArray<readonly [RegExp, string]> = [
  [/^expired\b/, '. See that your account is connected, then send it again if it still matters'],
  [
    /^outcome_unknown\b/,
    '. It may have arrived or not: look into the group before you send it again, so that nobody gets it twice',
  ],
];

const BY_ITSELF = 'It is tried again by itself';

/**
 * A delivery's last error in words for whoever runs the groups: what happened, and what to do. A known code stays in front, for
 * programs; what is not known is answered as the messenger put it. `isWaiting`: another try follows.
 */
export function explainError(error: string, isWaiting: boolean): string {
  if (isWaiting) return `${error.replace(/^outcome_unknown: /, '')}. ${BY_ITSELF}`;
  return `${error}${ADVICE.find(([code]) => code.test(error))?.[1] ?? ''}`;
}
