import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { sessionQuery } from '../api/session.ts';
import type { PickedGroup } from '../compose/draft.ts';
import { createDraftForGroups } from '../compose/create-draft.ts';

/** Returns a function that opens a new campaign for these groups; existing drafts stay. */
export function useNewCampaign(): (groups: readonly PickedGroup[]) => void {
  const client = useQueryClient();
  const [, go] = useLocation();
  const { data: session } = useQuery(sessionQuery);
  return (groups) => {
    if (session) go(createDraftForGroups(client, session.time_zone, groups));
  };
}
