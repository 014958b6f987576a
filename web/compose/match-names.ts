import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { readNames } from './read-names.ts';

type Found = Data<'venom/find-groups'>;

export interface NameMatches {
  /** Groups that can be posted to, each once. */
  found: Array<Found['found'][number]['group']>;
  /** Names of no group. */
  unknown: string[];
  /** Names of several groups. */
  ambiguous: string[];
  /** Names of groups that cannot be posted to. */
  unpostable: string[];
}

/** Finds groups by a column of names, as the service compares them. */
export async function matchNames(column: string): Promise<NameMatches> {
  const { found, unknown, ambiguous } = await call('venom/find-groups', { names: readNames(column) });
  const byId = new Map(found.map(({ group }) => [group.group_metadata_id, group]));
  return {
    found: [...byId.values()].filter(({ can_send: canSend }) => canSend),
    unknown,
    ambiguous: ambiguous.map(({ text }) => text),
    unpostable: found.filter(({ group }) => !group.can_send).map(({ text }) => text),
  };
}
