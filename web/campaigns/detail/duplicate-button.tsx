import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import type { Analytics } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { sessionQuery, type SignedIn } from '../../api/session.ts';
import { useMay } from '../../api/workspace.ts';
import { createDraftFromCampaign, type Copy } from '../../compose/create-draft.ts';
import { Icon } from '../../parts/icons.tsx';
import { notifyError } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';
import { copyName } from './copy-name.ts';

type DuplicateProps = Pick<Analytics, 'campaign' | 'groups'> & { isToAll?: boolean; label?: string; size?: 'xs' };

/** Opens a copy of the campaign as a new draft for the given groups, for those who may write. `isToAll`: also for groups that the campaign no longer goes to. */
export function DuplicateButton(copied: DuplicateProps) {
  const { data: session } = useQuery(sessionQuery);
  const mayWrite = useMay('author') !== false;
  return session && mayWrite ? <SignedInDuplicateButton session={session} {...copied} /> : null;
}

function SignedInDuplicateButton({
  session,
  campaign,
  groups,
  isToAll = false,
  label = t('campaign.duplicate'),
  size,
}: DuplicateProps & { session: SignedIn }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const copying = useMutation({
    mutationFn: async () => ({
      copy: await call('venom/duplicate-campaign', { campaign_id: campaign.campaign_id }),
      files: (await client.fetchQuery(campaignQuery(campaign.campaign_id))).files,
    }),
    onSuccess: ({ copy, files }) => {
      const name = copyName(copy.name);
      const ids = groups.map((group) => group.group_metadata_id);
      // What reached too few groups is made up for once, and not planned again.
      const next: Copy = isToAll
        ? { ...copy, name, group_metadata_ids: ids, is_schedule: false, schedule_time: null }
        : { ...copy, name };
      go(createDraftFromCampaign(client, session.time_zone, next, { groups, files, now: new Date() }));
    },
    onError: notifyError,
  });
  return (
    <Button
      variant="default"
      {...(size && { size })}
      leftSection={<Icon name="copy" size={size ? 14 : 16} />}
      loading={copying.isPending}
      onClick={() => copying.mutate()}
    >
      {label}
    </Button>
  );
}
