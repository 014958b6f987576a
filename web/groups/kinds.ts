import type { GroupKind } from '../api/operations.ts';

export type KindFilter = GroupKind | 'all';
export const KINDS: readonly GroupKind[] = ['group', 'community', 'channel'];
