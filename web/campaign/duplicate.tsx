import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import type { Analytics } from '../api/operations.ts';
import { sessionQuery, type SignedIn } from '../api/session.ts';
import { isWriting, putDraft } from '../compose/put-draft.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icons.tsx';
import { tell, tellProblem } from '../parts/notify.ts';
import { words } from '../words/words.ts';

type Copied = Pick<Analytics, 'campaign' | 'groups'>;

/** Opens a new campaign with the message, file and groups of this one. */
export function Duplicate(copied: Copied) {
  const { data: session } = useQuery(sessionQuery);
  return session ? <DuplicateButton session={session} {...copied} /> : null;
}

function DuplicateButton({ session, campaign, groups }: Copied & { session: SignedIn }) {
  const [, go] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const userId = session.user_info.user_id;
  const copy = async () => {
    const body = await call('venom/duplicate-campaign', { campaign_id: campaign.campaign_id });
    if (!(await putDraft(userId, session.time_zone, body, groups))) tell(words.campaign.fileNotCopied);
    go('/campaigns/new');
  };
  const copying = useMutation({ mutationFn: copy, onError: tellProblem });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="copy" size={16} />}
        loading={copying.isPending}
        onClick={() => (isWriting(userId) ? setAsking(true) : copying.mutate())}
      >
        {words.campaign.duplicate}
      </Button>
      <Confirm
        opened={isAsking}
        close={() => setAsking(false)}
        title={words.campaign.replaceTitle}
        action={words.campaign.replace}
        act={copy}
      >
        {words.campaign.replaceNote}
      </Confirm>
    </>
  );
}
