import type { Group } from '../api/operations.ts';

export interface NameMatches {
  /** Groups that can be posted to, each once. */
  found: Group[];
  /** Names of no group. */
  unknown: string[];
  /** Names of several groups. */
  ambiguous: string[];
  /** Names of groups that cannot be posted to. */
  unpostable: string[];
}

/** Finds groups by a column of names, as a spreadsheet copies it: of each row the first cell. Case and extra spaces do not matter. */
export function matchNames(column: string, groups: readonly Group[]): NameMatches {
  const byName = Map.groupBy(groups, ({ group_name }) => normalize(group_name));
  const matches: NameMatches = { found: [], unknown: [], ambiguous: [], unpostable: [] };
  for (const name of listNames(column)) {
    const alike = byName.get(normalize(name)) ?? [];
    const same = alike.filter(({ group_name }) => group_name.trim() === name);
    const [group, ...others] = same.length === 1 ? same : alike;
    if (!group) matches.unknown.push(name);
    else if (others.length > 0) matches.ambiguous.push(name);
    else if (group.can_send) matches.found.push(group);
    else matches.unpostable.push(name);
  }
  return { ...matches, found: [...new Set(matches.found)] };
}

function listNames(column: string): Set<string> {
  const cells = column.split(/\r?\n/).map((row) => row.split('\t')[0]?.trim() ?? '');
  return new Set(cells.map(withoutQuotes).filter((name) => name !== ''));
}

/** Spreadsheets put a cell with quotes into quotes. */
function withoutQuotes(cell: string): string {
  return /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

function normalize(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
