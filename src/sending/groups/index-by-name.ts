import { foldFieldName } from '../../content/text/fold-name.ts';

type Fold = (name: string) => string;

/** A name as it is written, and without regard to case, accents, space and invisible characters. */
const FOLDS: readonly Fold[] = [(name) => name.normalize('NFC').trim(), foldFieldName];

/** Returns a function that finds those with a name: as it is written, else folded, else as `further` folds it; the first of these that any has. */
export function indexByName<One extends { name: string }>(
  all: readonly One[],
  further: readonly Fold[] = [],
): (name: string) => readonly One[] {
  const indexes = [...FOLDS, ...further].map((fold) => ({ fold, byName: Map.groupBy(all, ({ name }) => fold(name)) }));
  return (name) =>
    indexes.map(({ fold, byName }) => byName.get(fold(name)) ?? []).find((some) => some.length > 0) ?? [];
}
