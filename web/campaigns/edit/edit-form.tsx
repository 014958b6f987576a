import { Button, Stack } from '@mantine/core';
import { useDisclosure, useForceUpdate } from '@mantine/hooks';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, generateIdempotencyKey } from '../../api/call.ts';
import type { Campaign, GroupRow } from '../../api/operations.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';
import { validateDraft } from '../../compose/checks.tsx';
import { isBallot } from '../../compose/ballot.ts';
import type { Card } from '../../compose/card.ts';
import { CardField } from '../../compose/card-field.tsx';
import { ComposeLayout } from '../../compose/compose-layout.tsx';
import type { Draft } from '../../compose/draft.ts';
import { CheckSection, WhenSection } from '../../compose/draft-sections.tsx';
import { GroupsSection } from '../../compose/groups-section.tsx';
import { sumOf } from '../../compose/audience.ts';
import { useTexts } from '../../compose/languages.ts';
import { MessageSection } from '../../compose/message-section.tsx';
import { ReachSection } from '../../compose/reach-section.tsx';
import { PhonePreview } from '../../compose/phone-preview.tsx';
import { SendTimes } from '../../compose/send-times.tsx';
import { base64 } from '../../compose/send-draft.ts';
import { warningTexts } from '../../compose/summary.tsx';
import { useCheck } from '../../compose/use-check.ts';
import { EDITS_KEY } from '../../drafts/unsaved-changes.ts';
import { timeOfDay } from '../../format/time.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showToast } from '../../parts/notify.ts';
import { Page } from '../../parts/page.tsx';
import { mediaName } from '../../format/media-name.ts';
import { t } from '../../i18n/translate.ts';
import { diffDraft, toDraft, isRescheduled } from './diff-draft.ts';
import { ChangeSummary, UnchangedRuns } from './change-summary.tsx';
import { lazyWithRetry } from '../../parts/lazy-with-retry.ts';

const ScheduleFields = lazy(lazyWithRetry(() => import('../../compose/schedule-fields.tsx')));

interface EditFormProps {
  campaign: Campaign;
  known: readonly GroupRow[];
  /** The file of its message. */
  stored: Blob | null;
  /** The link preview of its message. */
  card: Card | null;
}

/**
 * The compose form for an existing campaign. Started runs keep their content; without a planned run only the name can change. `again`
 * remounts the form with the stored campaign.
 */
export function EditForm({ again, ...changing }: EditFormProps & { again: () => void }) {
  const { campaign } = changing;
  const { before, draft, update, file, setFile, isOtherFile, change, hasChanged, save, forget } = useEdits(changing);
  const throwAway = () => {
    forget();
    again();
  };
  const [isAsking, asking] = useDisclosure(false);
  const shownFile = isBallot(draft) ? null : file;
  const hasFile = shownFile !== null || (!isBallot(draft) && draft.files.length > 0);
  const texts = useTexts(draft, hasFile);
  const { shown, written, language } = texts;
  const { preview, isSettled } = shown;
  const check = useCheck(draft, draft.name, hasFile, { campaign_id: campaign.campaign_id });
  const planned = campaign.runs.filter((run) => run.status === 'planned').length;
  const hasPlanned = planned > 0;
  const problems = [
    ...(draft.name.trim() === '' ? [t('change.noName')] : []),
    ...(hasPlanned ? validateDraft(draft, hasFile, shown) : []),
  ];
  const isReady = hasChanged && problems.length === 0 && (!hasPlanned || (isSettled && check.isSettled));

  return (
    <Page title={t('change.title', { name: campaign.name })} actions={hasChanged && <DiscardButton act={throwAway} />}>
      <ComposeLayout
        sum={hasChanged ? sumOf(draft) : t('change.nothingYet')}
        buttons={<Buttons campaignId={campaign.campaign_id} isReady={isReady} openConfirm={asking.open} />}
        preview={<EditedPreview {...{ draft, language }} text={written.preview.text} file={shownFile} />}
      >
        <UnchangedRuns runs={campaign.runs} />
        <EditedMessage {...{ before, draft, update, file, setFile, texts }} hasText={hasPlanned} />
        {hasPlanned && (
          <>
            <GroupsSection draft={draft} update={update} />
            <ReachSection draft={draft} update={update} />
            <WhenSection draft={draft} check={check}>
              <Stack gap="sm">
                <ScheduleFields draft={draft} update={update} />
              </Stack>
            </WhenSection>
            <CheckSection {...{ draft, update, problems, preview, hasFile, check }} isSubmitted />
          </>
        )}
      </ComposeLayout>
      <ConfirmDialog
        opened={isAsking}
        close={asking.close}
        title={t('change.confirm', { name: campaign.name })}
        action={t('change.action')}
        act={save}
      >
        <Stack gap="sm">
          <ChangeSummary
            {...{ before, draft, change, isOtherFile, hasFile, planned }}
            runs={check.runs?.length}
            texts={{ before: campaign.text, after: preview.text }}
            warnings={hasPlanned ? warningTexts({ preview, check, hasFile }) : []}
          />
          <UnchangedRuns runs={campaign.runs} />
          {hasPlanned && isRescheduled(change) && <SendTimes draft={draft} check={check} />}
        </Stack>
      </ConfirmDialog>
    </Page>
  );
}

function EditedPreview(shown: { draft: Draft; text: string; language: string; file: File | null }) {
  return <PhonePreview {...shown} time={timeOfDay(shown.draft.time)} reach={shown.draft} />;
}

function EditedMessage({
  before,
  draft,
  update,
  file,
  setFile,
  texts,
  hasText,
}: Pick<ReturnType<typeof useEdits>, 'before' | 'draft' | 'update' | 'file' | 'setFile'> & {
  texts: ReturnType<typeof useTexts>;
  hasText: boolean;
}) {
  const { preview, error, isSettled } = texts.shown;
  return (
    <MessageSection draft={draft} update={update} texts={texts} file={file} attach={setFile} hasText={hasText}>
      <CardField
        card={draft.card}
        change={(card) => update({ card })}
        preview={preview}
        isSettled={isSettled && !error}
        hasFile={file !== null}
        isAutomatic={draft.html !== before.html}
      />
    </MessageSection>
  );
}

/** The edited draft beside the campaign as it was when editing started. */
interface Edits {
  before: Draft;
  draft: Draft;
  file: File | null;
  isOtherFile: boolean;
  isChanged: boolean;
}

function startEdits({ campaign, known, stored, card }: EditFormProps): Edits {
  const before = { ...toDraft(campaign, known), card };
  return { before, draft: before, file: stored && asFile(stored), isOtherFile: false, isChanged: false };
}

/** The edits and how to save them. They stay in the page's memory until they are saved or discarded. */
function useEdits(changing: EditFormProps) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const { campaign_id: id } = changing.campaign;
  const queryKey = [...EDITS_KEY, id];
  const [begun] = useState(() => startEdits(changing));
  const changed = (last: Edits | undefined) => (last?.isChanged ? last : begun);
  const edits = changed(
    useQuery<Edits>({ queryKey, queryFn: skipToken, staleTime: Infinity, gcTime: Infinity, structuralSharing: false })
      .data,
  );
  const { before, draft, file, isOtherFile } = edits;
  const change = diffDraft(before, draft);
  // As in `usePersistedDraft`.
  const rerender = useForceUpdate();
  const edit = (next: (last: Edits) => Partial<Edits>) => {
    client.setQueryData<Edits>(queryKey, (kept) => {
      const last = changed(kept);
      const now = { ...last, ...next(last) };
      return { ...now, isChanged: now.isOtherFile || Object.keys(diffDraft(now.before, now.draft)).length > 0 };
    });
    rerender();
  };
  const update = (next: Partial<Draft>) =>
    edit((last) => ({ draft: { ...last.draft, ...next, idempotencyKey: generateIdempotencyKey() } }));
  const setFile = (next: File | null) => edit(() => ({ file: next, isOtherFile: true }));
  const forget = () => client.removeQueries({ queryKey });
  const save = async (signal: AbortSignal) => {
    const { remove_image: removed, ...fields } = change;
    const [keptFile, keptFiles] = isBallot(draft) ? [null, []] : [file, draft.files];
    const isOther = isOtherFile || removed || before.poll !== draft.poll || before.event !== draft.event;
    // Files of the library replace the one file, and the one file replaces them.
    const isRemoved = isOther && keptFile === null && keptFiles.length === 0;
    const image = isOtherFile && keptFile ? { image: await base64(keptFile) } : isRemoved && { remove_image: true };
    await call('venom/update-campaign', { campaign_id: id, ...fields, ...image }, { signal });
    await invalidateCampaign(client, id);
    showToast(t('change.changed', { name: draft.name.trim() }));
    go(`/campaigns/${id}`);
    forget();
  };
  return { before, draft, update, file, setFile, isOtherFile, change, hasChanged: edits.isChanged, save, forget };
}

function DiscardButton({ act }: { act: () => void }) {
  return (
    <ConfirmButton title={t('change.throwAwayTitle')} action={t('change.throwAway')} act={async () => act()} danger>
      {t('change.throwAwayNote')}
    </ConfirmButton>
  );
}

function Buttons({
  campaignId,
  isReady,
  openConfirm,
}: {
  campaignId: string;
  isReady: boolean;
  openConfirm: () => void;
}) {
  return (
    <>
      <Button component={Link} href={`/campaigns/${campaignId}`} variant="default">
        {t('common.back')}
      </Button>
      <Button onClick={openConfirm} disabled={!isReady}>
        {t('change.action')}
      </Button>
    </>
  );
}

/** Named by its type: the original name is not stored. */
function asFile(blob: Blob): File {
  return new File([blob], mediaName(blob.type), { type: blob.type });
}
