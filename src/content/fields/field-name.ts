/** Names of fields: what a workspace knows about each of its groups. */
import { foldFieldName } from '../text/fold-name.ts';

export const LONGEST_FIELD_NAME = 40;
/** Fields that a workspace may have. */
export const MOST_FIELDS = 40;
/** What a post can say of its run and of its group without a field: fields cannot have these names. */
export const BUILT_IN = ['group', 'members', 'date', 'weekday', 'time'] as const;
export type BuiltIn = (typeof BUILT_IN)[number];

const NAME = /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{Nd} _-]+$/u;

/** Whether a clean name has letters, digits, space, `_` and `-` only, and a letter or digit among them. */
export function isFieldName(name: string): boolean {
  return NAME.test(name);
}

export function isReservedName(name: string): boolean {
  const folded = foldFieldName(name);
  return BUILT_IN.some((builtIn) => builtIn === folded);
}
