import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, drawKey } from '../api/call.ts';
import type { Campaign, GroupRow } from '../api/operations.ts';
import { askAnew } from '../campaign/control.ts';
import { Checks, findProblems } from '../compose/checks.tsx';
import { FILE_LIMIT_BYTES } from '../compose/file-limit.ts';
import { membersOf } from '../compose/members-of.ts';
import { PickGroups, together } from '../compose/pick-groups.tsx';
import { PickList } from '../compose/pick-list.tsx';
import { Plan } from '../compose/plan.tsx';
import { base64 } from '../compose/send.ts';
import { useCheck } from '../compose/use-check.ts';
import { usePreview } from '../compose/use-preview.ts';
import { count, fileSize } from '../format/numbers.ts';
import { Confirm } from '../parts/confirm.tsx';
import { tell } from '../parts/notify.ts';
import { Page, Section } from '../parts/page.tsx';
import { Post } from '../whatsapp/bubble.tsx';
import { Phone } from '../whatsapp/phone.tsx';
import { words } from '../words/words.ts';
import { changeOf, draftOf, isReplanned } from './change-of.ts';
import { Changes, WhatStays } from './changes.tsx';

const Editor = lazy(() => import('../compose/editor.tsx'));
const MediaField = lazy(() => import('../compose/media-field.tsx'));
const Schedule = lazy(() => import('../compose/schedule.tsx'));

const NAME_LIMIT = 200;

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
  const [fileProblem, setFileProblem] = useState<string>();
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
  const takeFile = (next: File | null) => {
    const isTooLarge = next !== null && next.size > FILE_LIMIT_BYTES;
    setFileProblem(isTooLarge ? words.compose.fileTooLarge(fileSize(FILE_LIMIT_BYTES)) : undefined);
    if (!isTooLarge) setFile(next);
  };
  const leaveOut = (groupIds: readonly number[]) => {
    const out = new Set(groupIds);
    update({ groups: draft.groups.filter((group) => !out.has(group.group_metadata_id)) });
  };
  const save = async () => {
    const image = isOtherFile && (file ? { image: await base64(file) } : { remove_image: true });
    await call('venom/update-campaign', { campaign_id: campaign.campaign_id, ...change, ...image });
    await askAnew(client, campaign.campaign_id);
    tell(words.change.changed(draft.name.trim()));
    go(`/campaigns/${campaign.campaign_id}`);
  };
  const [first] = draft.groups;
  const media = file && { mime: file.type, size: file.size, file };

  return (
    <Page title={words.change.title(campaign.name)} wide>
      <div className="compose">
        <Stack gap="md" className="compose-form">
          <WhatStays runs={campaign.runs} />
          <Section title={words.compose.message}>
            <Stack gap="sm">
              <TextInput
                label={words.compose.name}
                description={words.compose.nameHint}
                maxLength={NAME_LIMIT}
                value={draft.name}
                onChange={(event) => update({ name: event.currentTarget.value })}
              />
              {hasPlanned && (
                <Suspense fallback={<Skeleton height={220} className="late" />}>
                  <Editor html={draft.html} onChange={(html) => update({ html })} onFile={takeFile} />
                  <MediaField file={file} attach={takeFile} refuse={setFileProblem} />
                </Suspense>
              )}
              {fileProblem !== undefined && (
                <Text size="sm" c="var(--mantine-color-error)" role="alert">
                  {fileProblem}
                </Text>
              )}
            </Stack>
          </Section>
          {hasPlanned && (
            <>
              <Section
                title={words.compose.groups}
                aside={<PickList onPick={(more) => update({ groups: together(draft.groups, more) })} />}
              >
                <PickGroups picked={draft.groups} onChange={(groups) => update({ groups })} />
              </Section>
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
                  onLeaveOut={leaveOut}
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
        <aside className="compose-phone" aria-label={words.compose.preview}>
          <Phone
            name={first?.group_name ?? words.compose.anyGroup}
            kind={first?.kind ?? 'group'}
            participants={first?.participants ?? null}
          >
            <Post text={preview.text} media={media} time={draft.time} kind={first?.kind ?? 'group'} />
          </Phone>
        </aside>
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
