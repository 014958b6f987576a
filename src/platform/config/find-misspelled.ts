import { distance } from 'fastest-levenshtein';

/** An environment variable that is close to one of ours. */
export interface Misspelled {
  name: string;
  meant: string;
}

/** Names of a shorter variable are close to many others (`PGPORT`, `PORT`): one letter may differ. In longer ones two may. */
const LONG_NAME = 8;
/** Variables of other programs that are close to ours. */
const FOREIGN = new Set(['FTP_PROXY', 'ALL_PROXY']);

/**
 * Returns the variables that are no names of ours, but misspellings of one: `SINGUP`, `DATADIR`. The meant one is not set, so that nothing
 * is reported where both exist.
 */
export function findMisspelled(environment: Readonly<Record<string, string | undefined>>, known: readonly string[]) {
  const own = new Set(known);
  const unset = known.filter((name) => environment[name] === undefined);
  return Object.keys(environment).flatMap((name) => {
    if (own.has(name) || FOREIGN.has(name.toUpperCase())) return [];
    const meant = unset.find((one) => isClose(name, one));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

export function describeMisspelled({ name, meant }: Misspelled): string {
  return `${name} is not a setting. Did you mean ${meant}?`;
}

function isClose(name: string, known: string): boolean {
  const [given, ours] = [plain(name), plain(known)];
  const allowed = ours.length < LONG_NAME ? 1 : 2;
  return (
    Math.abs(given.length - ours.length) <= allowed && (distance(given, ours) <= allowed || isSwapped(given, ours))
  );
}

const plain = (name: string) => name.toUpperCase().replaceAll('_', '');

/** Whether two neighbouring letters changed places. */
function isSwapped(given: string, ours: string): boolean {
  if (given.length !== ours.length) return false;
  const differing = [...given].flatMap((letter, index) => (letter === ours[index] ? [] : [index]));
  const [first = 0, second = 0] = differing;
  return (
    differing.length === 2 && second === first + 1 && given[first] === ours[second] && given[second] === ours[first]
  );
}
