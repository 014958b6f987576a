import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, drawKey } from '../api/call.ts';
import type { Campaign, GroupRow } from '../api/operations.ts';
import { askAnew } from '../campaign/control.ts';
import { Checks, findProblems } from '../compose/checks.tsx';
import { GroupsSection } from '../compose/groups-section.tsx';
import { membersOf } from '../compose/members-of.ts';
import { MessageSection } from '../compose/message-section.tsx';
import { PhonePreview } from '../compose/phone-preview.tsx';
import { without } from '../compose/pick-groups.tsx';
import { Plan } from '../compose/plan.tsx';
import { base64 } from '../compose/send.ts';
import { useCheck } from '../compose/use-check.ts';
import { usePreview } from '../compose/use-preview.ts';
import { count } from '../format/numbers.ts';
import { Confirm } from '../parts/confirm.tsx';
import { tell } from '../parts/notify.ts';
import { Page, Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import { changeOf, draftOf, isReplanned } from './change-of.ts';
import { Changes, WhatStays } from './changes.tsx';

const Schedule = lazy(() => import('../compose/schedule.tsx'));

/** The compose form with a campaign in it. What has begun keeps what it says; once every run has, there is only the name to change. */
export function ChangeForm({
  campaign,
  known,
  stored,
}: {
  campaign: Campaign;
  known: readonly GroupRow[];
  /** Its file. */
  stored: Blob | null;
}) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const before = useMemo(() => draftOf(campaign, known), [campaign, known]);
  const [draft, setDraft] = useState(before);
  const kept = useMemo(() => stored && asFile(stored), [stored]);
  const [file, setFile] = useState<File | null>(kept);
  const [isAsking, asking] = useDisclosure(false);
  const shown = usePreview(draft.html);
  const { preview, isSettled } = shown;
  const check = useCheck(draft, draft.name, {
    campaign_id: campaign.campaign_id,
    skip_dates: campaign.skip_dates,
  });
  const hasPlanned = campaign.runs.some((run) => run.status === 'planned');
  const change = changeOf(before, draft);
  const isOtherFile = file !== kept;
  const hasChanged = Object.keys(change).length > 0 || isOtherFile;
  const problems = [
    ...(draft.name.trim() === '' ? [words.change.noName] : []),
    ...(hasPlanned ? findProblems(draft, shown) : []),
  ];
  const update = (next: Partial<typeof draft>) => setDraft((last) => ({ ...last, ...next, idempotencyKey: drawKey() }));
  const save = async () => {
    const image = isOtherFile && (file ? { image: await base64(file) } : { remove_image: true });
    await call('venom/update-campaign', { campaign_id: campaign.campaign_id, ...change, ...image });
    await askAnew(client, campaign.campaign_id);
    tell(words.change.changed(draft.name.trim()));
    go(`/campaigns/${campaign.campaign_id}`);
  };

  return (
    <Page title={words.change.title(campaign.name)} wide>
      <div className="compose">
        <Stack gap="md" className="compose-form">
          <WhatStays runs={campaign.runs} />
          <MessageSection draft={draft} update={update} file={file} attach={setFile} hasText={hasPlanned} />
          {hasPlanned && (
            <>
              <GroupsSection groups={draft.groups} onChange={(groups) => update({ groups })} />
              <Section title={words.compose.when}>
                <Suspense fallback={<Skeleton height={80} className="late" />}>
                  <Stack gap="sm">
                    <Schedule draft={draft} update={update} />
                  </Stack>
                </Suspense>
                <Plan draft={draft} check={check} />
              </Section>
              <Section title={words.compose.check}>
                <Checks
                  problems={problems}
                  isTried
                  preview={preview}
                  hasFile={file !== null}
                  check={check}
                  picked={draft.groups}
                  onLeaveOut={(out) => update({ groups: without(draft.groups, out) })}
                />
              </Section>
            </>
          )}
          <div className="compose-end">
            <Text size="sm" fw={550} className="compose-sum">
              {hasChanged
                ? words.compose.sum(draft.groups.length, count(draft.groups.length), count(membersOf(draft.groups)))
                : words.change.nothingYet}
            </Text>
            <Button component={Link} href={`/campaigns/${campaign.campaign_id}`} variant="default">
              {words.back}
            </Button>
            <Button
              onClick={asking.open}
              disabled={!hasChanged || problems.length > 0 || (hasPlanned && !(isSettled && check.isSettled))}
            >
              {words.change.action}
            </Button>
          </div>
        </Stack>
        <PhonePreview groups={draft.groups} text={preview.text} file={file} time={draft.time} />
      </div>
      <Confirm
        opened={isAsking}
        close={asking.close}
        title={words.change.confirm(campaign.name)}
        action={words.change.action}
        act={save}
      >
        <Stack gap="sm">
          <Changes before={before} draft={draft} change={change} isOtherFile={isOtherFile} hasFile={file !== null} />
          <WhatStays runs={campaign.runs} />
          {hasPlanned && isReplanned(change) && <Plan draft={draft} check={check} />}
        </Stack>
      </Confirm>
    </Page>
  );
}

/** Named by what it is: the name that it once had is not kept. */
function asFile(blob: Blob): File {
  return new File([blob], words.media(blob.type), { type: blob.type });
}
