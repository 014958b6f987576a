import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, drawKey } from '../api/call.ts';
import type { Campaign, GroupRow } from '../api/operations.ts';
import { askAnew } from '../campaign/control.ts';
import { findProblems } from '../compose/checks.tsx';
import { ComposeLayout } from '../compose/compose-layout.tsx';
import type { Draft } from '../compose/draft.ts';
import { CheckSection, WhenSection } from '../compose/draft-sections.tsx';
import { GroupsSection } from '../compose/groups-section.tsx';
import { sumOf } from '../compose/members-of.ts';
import { MessageSection } from '../compose/message-section.tsx';
import { PhonePreview } from '../compose/phone-preview.tsx';
import { Plan } from '../compose/plan.tsx';
import { base64 } from '../compose/send.ts';
import { useCheck } from '../compose/use-check.ts';
import { usePreview } from '../compose/use-preview.ts';
import { Confirm } from '../parts/confirm.tsx';
import { tell } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import { changeOf, draftOf, isReplanned } from './change-of.ts';
import { Changes, WhatStays } from './changes.tsx';

const Schedule = lazy(() => import('../compose/schedule.tsx'));

interface Changing {
  campaign: Campaign;
  known: readonly GroupRow[];
  /** Its file. */
  stored: Blob | null;
}

/** The compose form with a campaign in it. What has begun keeps what it says; once every run has, there is only the name to change. */
export function ChangeForm(changing: Changing) {
  const { campaign } = changing;
  const { before, draft, update, file, setFile, isOtherFile, change, hasChanged, save } = useChange(changing);
  const [isAsking, asking] = useDisclosure(false);
  const shown = usePreview(draft.html);
  const { preview, isSettled } = shown;
  const check = useCheck(draft, draft.name, { campaign_id: campaign.campaign_id, skip_dates: campaign.skip_dates });
  const hasPlanned = campaign.runs.some((run) => run.status === 'planned');
  const hasFile = file !== null;
  const problems = [
    ...(draft.name.trim() === '' ? [words.change.noName] : []),
    ...(hasPlanned ? findProblems(draft, shown) : []),
  ];
  const isReady = hasChanged && problems.length === 0 && (!hasPlanned || (isSettled && check.isSettled));

  return (
    <Page title={words.change.title(campaign.name)} wide>
      <ComposeLayout
        sum={hasChanged ? sumOf(draft) : words.change.nothingYet}
        buttons={<Buttons campaignId={campaign.campaign_id} isReady={isReady} ask={asking.open} />}
        preview={<PhonePreview groups={draft.groups} text={preview.text} file={file} time={draft.time} />}
      >
        <WhatStays runs={campaign.runs} />
        <MessageSection draft={draft} update={update} file={file} attach={setFile} hasText={hasPlanned} />
        {hasPlanned && (
          <>
            <GroupsSection groups={draft.groups} onChange={(groups) => update({ groups })} />
            <WhenSection draft={draft} check={check}>
              <Stack gap="sm">
                <Schedule draft={draft} update={update} />
              </Stack>
            </WhenSection>
            <CheckSection {...{ draft, update, problems, preview, hasFile, check }} isTried />
          </>
        )}
      </ComposeLayout>
      <Confirm
        opened={isAsking}
        close={asking.close}
        title={words.change.confirm(campaign.name)}
        action={words.change.action}
        act={save}
      >
        <Stack gap="sm">
          <Changes {...{ before, draft, change, isOtherFile, hasFile }} />
          <WhatStays runs={campaign.runs} />
          {hasPlanned && isReplanned(change) && <Plan draft={draft} check={check} />}
        </Stack>
      </Confirm>
    </Page>
  );
}

/** What is being changed, held against the campaign as it was, and the saving of it. */
function useChange({ campaign, known, stored }: Changing) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const before = useMemo(() => draftOf(campaign, known), [campaign, known]);
  const [draft, setDraft] = useState(before);
  const kept = useMemo(() => stored && asFile(stored), [stored]);
  const [file, setFile] = useState<File | null>(kept);
  const change = changeOf(before, draft);
  const isOtherFile = file !== kept;
  const hasChanged = Object.keys(change).length > 0 || isOtherFile;
  const update = (next: Partial<Draft>) => setDraft((last) => ({ ...last, ...next, idempotencyKey: drawKey() }));
  const save = async () => {
    const image = isOtherFile && (file ? { image: await base64(file) } : { remove_image: true });
    await call('venom/update-campaign', { campaign_id: campaign.campaign_id, ...change, ...image });
    await askAnew(client, campaign.campaign_id);
    tell(words.change.changed(draft.name.trim()));
    go(`/campaigns/${campaign.campaign_id}`);
  };
  return { before, draft, update, file, setFile, isOtherFile, change, hasChanged, save };
}

function Buttons({ campaignId, isReady, ask }: { campaignId: string; isReady: boolean; ask: () => void }) {
  return (
    <>
      <Button component={Link} href={`/campaigns/${campaignId}`} variant="default">
        {words.back}
      </Button>
      <Button onClick={ask} disabled={!isReady}>
        {words.change.action}
      </Button>
    </>
  );
}

/** Named by what it is: the name that it once had is not kept. */
function asFile(blob: Blob): File {
  return new File([blob], words.media(blob.type), { type: blob.type });
}
