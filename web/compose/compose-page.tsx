import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { useIsSandbox } from '../api/accounts.ts';
import { sessionQuery, type SignedIn } from '../api/session.ts';
import { useMay } from '../api/workspace.ts';
import { isDay } from '../calendar/days.ts';
import { DraftsMenu } from '../drafts/drafts-menu.tsx';
import { createDraft, type PersistedDraft } from '../drafts/persisted-draft.ts';
import { SaveStatus } from '../drafts/save-status.tsx';
import { usePersistedDraft } from '../drafts/use-persisted-draft.ts';
import { count } from '../format/numbers.ts';
import { problemText } from '../format/problem.ts';
import { clockTime, timeOfDay, timeOrDay } from '../format/time.ts';
import { waitText } from '../format/wait-text.ts';
import { useZone } from '../format/zone-context.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { showToast, notifyError } from '../parts/notify.ts';
import { RoleNote } from '../parts/role-note.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page, PageSkeleton } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { groupIssues, lackingValues, NO_VALUE, validateDraft } from './checks.tsx';
import { ballotProblems, isBallot } from './ballot.ts';
import { CardField } from './card-field.tsx';
import { ComposeLayout } from './compose-layout.tsx';
import { emptyDraft, type Draft } from './draft.ts';
import { CheckSection, WhenSection } from './draft-sections.tsx';
import { sumOf } from './audience.ts';
import { useTexts } from './languages.ts';
import { MessageSection } from './message-section.tsx';
import { AudienceSections } from './reach-section.tsx';
import { PhonePreview } from './phone-preview.tsx';
import { draftPath } from './create-draft.ts';
import { useMustAsk } from '../approvals/approval-queries.ts';
import { RequestedChanges } from '../approvals/requested-changes.tsx';
import { askForApproval, sendDraft } from './send-draft.ts';
import { suggestName } from './suggest-name.ts';
import { Summary } from './summary.tsx';
import { TestPostButton } from './test-post.tsx';
import { useCheck, type Check } from './use-check.ts';
import { TemplatesMenu } from '../templates/templates-menu.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';

const SendTimeField = lazy(lazyWithRetry(() => import('./send-time-field.tsx')));

export default function ComposePage() {
  const { data: session } = useQuery(sessionQuery);
  const mayWrite = useMay('author') !== false;
  if (!mayWrite)
    return (
      <Page title={t('pages.compose')}>
        <RoleNote needs="author" />
      </Page>
    );
  return session ? <OpenDraft session={session} /> : null;
}

/** Opens the draft in the URL, or a new one for the day in the URL. A new draft gets its URL with the first change. */
function OpenDraft({ session }: { session: SignedIn }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [parameters] = useSearchParams();
  const named = parameters.get('draft');
  const day = parameters.get('day');
  const { time_zone: zone } = session;
  const id = useMemo(() => named ?? createDraft(client, draftFor(day, zone)), [client, named, day, zone]);
  const opened = usePersistedDraft(id, zone);
  const mustBeNamed = named === null && opened.kept?.isChanged === true;
  useEffect(() => {
    if (mustBeNamed) go(draftPath(id), { replace: true });
  }, [mustBeNamed, go, id]);
  const { kept, error, refetch, ...acts } = opened;
  if (kept) return <Compose key={`${id} ${kept.edition}`} {...{ id, session, kept }} {...acts} />;
  if (error instanceof CampanileError && (error.status === 404 || error.status === 400))
    return (
      <Page title={t('pages.compose')}>
        <Empty title={t('drafts.gone')} link={{ href: '/campaigns/new', label: t('shell.newCampaign') }}>
          {t('drafts.goneHint')}
        </Empty>
      </Page>
    );
  return error ? <ErrorAlert error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}

function draftFor(day: string | null, zone: string): Draft {
  const empty = emptyDraft(zone);
  return day !== null && isDay(day) ? { ...empty, isScheduled: true, startDate: day, endDate: day } : empty;
}

interface ComposeProps extends Pick<ReturnType<typeof usePersistedDraft>, 'update' | 'attach' | 'drop'> {
  id: string;
  session: SignedIn;
  kept: PersistedDraft;
}

function DraftActions({
  id,
  drop,
  kept,
  name,
  session,
}: Pick<ComposeProps, 'id' | 'drop' | 'kept' | 'session'> & { name: string }) {
  const [, go] = useLocation();
  return (
    <Group gap="xs">
      <DraftsMenu openId={id} />
      <TemplatesMenu post={kept} name={name} zone={session.time_zone} />
      <DiscardButton discard={() => drop().then(() => go('/campaigns/new'), notifyError)} />
    </Group>
  );
}

/** A poll or an event takes the place of text and file, which the draft keeps. */
function contentOf({ draft, file: attached }: PersistedDraft) {
  const isAskingMembers = isBallot(draft);
  const file = isAskingMembers ? null : attached;
  const hasFile = file !== null || (!isAskingMembers && draft.files.length > 0);
  return { isAskingMembers, file, hasFile, fileName: file?.name ?? draft.files[0]?.name ?? '' };
}

function Message({
  kept,
  update,
  attach,
  suggestedName,
  texts,
}: Pick<ComposeProps, 'kept' | 'update' | 'attach'> & { suggestedName: string; texts: ReturnType<typeof useTexts> }) {
  const { shown, written } = texts;
  const { draft } = kept;
  const { isAskingMembers, file, hasFile } = contentOf(kept);
  return (
    <MessageSection
      {...{ draft, update, texts, file, attach, suggestedName }}
      refusal={kept.fileProblem}
      aside={!isAskingMembers && <LengthCounter length={written.length} limit={written.preview.limit} />}
    >
      <CardField
        card={draft.card}
        change={(card) => update({ card })}
        preview={shown.preview}
        isSettled={shown.isSettled && !shown.error}
        hasFile={hasFile}
      />
    </MessageSection>
  );
}

function Compose({ id, session, kept, update, attach, drop }: ComposeProps) {
  const { draft } = kept;
  const { file, hasFile, fileName } = contentOf(kept);
  const texts = useTexts(draft, hasFile);
  const { shown, written, language } = texts;
  const { preview, isSettled } = shown;
  const [isAsking, asking] = useDisclosure(false);
  const [isSubmitted, tried] = useDisclosure(false);
  const suggestedName = suggestName(draft, preview.text, fileName);
  const name = draft.name.trim() || suggestedName;
  const check = useCheck(draft, name, hasFile);
  const problems = [...listProblems(kept, hasFile, shown), ...lackingValues(draft, check)];
  const mustAsk = useMustAsk(draft.groupListIds.length > 0 ? Infinity : draft.groups.length) === true;
  const { wait, ignoresQuietHours, action, choice, nowHint } = useDeparture(draft, {
    mustAsk,
    check,
    zone: session.time_zone,
  });
  const send = useSend({ id, draft, name, file, drop, mustAsk, wait, ignoresQuietHours });
  const maySend = useMay('manager') !== false || mustAsk;
  const openConfirm = () => {
    tried.open();
    // Rejections are shown under Check. A failed check (offline) does not block sending.
    if (problems.length === 0 && !isRejection(check.error)) asking.open();
  };

  return (
    <Page title={t('pages.compose')} actions={<DraftActions {...{ id, drop, kept, name, session }} />}>
      <SaveStatus id={id} kept={kept} zone={session.time_zone} />
      <ComposeLayout
        sum={sumOf(draft)}
        buttons={
          <>
            {!mustAsk && <RoleNote needs="manager" text={t('compose.ofManagers')} />}
            <TestPostButton
              draft={draft}
              name={name}
              file={file}
              isWritten={!shown.error && isWritten(draft, preview.length > 0 || hasFile)}
            />
            <Button
              onClick={openConfirm}
              disabled={!maySend || (problems.length === 0 && !(isSettled && check.isSettled))}
            >
              {action.page ?? action.title}
            </Button>
          </>
        }
        preview={
          <TimedPreview {...{ draft, file, check, language }} text={written.preview.text} zone={session.time_zone} />
        }
      >
        <RequestedChanges id={id} />
        <Message {...{ kept, update, attach, suggestedName, texts }} />
        <AudienceSections draft={draft} update={update} />
        <WhenSection draft={draft} check={check}>
          <SendTimeField draft={draft} update={update} nowHint={nowHint} />
        </WhenSection>
        <CheckSection {...{ draft, update, problems, isSubmitted, preview, hasFile, check }} />
      </ComposeLayout>
      <ConfirmDialog opened={isAsking} close={asking.close} title={action.title} action={action.button} act={send}>
        <Summary
          {...{ draft, name, file, preview, check, wait }}
          {...(mustAsk && { leaves: t('approvals.leavesWhenApproved') })}
        />
        {choice}
      </ConfirmDialog>
    </Page>
  );
}

/** When the post leaves, what the button says of that, and the choice not to wait for the end of quiet hours. */
function useDeparture(draft: Draft, { mustAsk, check, zone }: { mustAsk: boolean; check: Check; zone: string }) {
  const isSandbox = useIsSandbox();
  const [isAnyway, setAnyway] = useState(false);
  const isQuiet = check.wait?.reason === 'quiet_hours' && !mustAsk;
  const ignoresQuietHours = isQuiet && isAnyway;
  const wait = ignoresQuietHours ? undefined : check.wait;
  const choice = isQuiet && (
    <Checkbox
      label={t('compose.sendAnyway')}
      checked={isAnyway}
      onChange={(event) => setAnyway(event.currentTarget.checked)}
    />
  );
  const whenSent = wait ? waitText(wait, zone) : t('compose.nowHint');
  const nowHint = mustAsk ? t('approvals.leavesWhenApproved') : whenSent;
  return { wait, ignoresQuietHours, choice, nowHint, action: actionOf(draft, { mustAsk, isSandbox, wait, zone }) };
}

/** What the button does, in words: for its confirmation, and for the page, where it says when if not now. */
function actionOf(
  { isScheduled, groups: { length: groups } }: Draft,
  { mustAsk, isSandbox, wait, zone }: { mustAsk: boolean; isSandbox: boolean; wait: Check['wait']; zone: string },
): { title: string; button: string; page?: string } {
  if (mustAsk) return { title: t('approvals.ask'), button: t('approvals.ask') };
  if (isScheduled)
    return {
      title: isSandbox ? t('compose.simulated.actionSchedule', { groups }) : t('compose.actionSchedule', { groups }),
      button: t('compose.schedule'),
    };
  if (wait) {
    const { until } = wait;
    const button =
      until === null ? t('compose.sendWhenReady') : t('compose.sendFrom', { time: timeOrDay(until, zone) });
    const title = isSandbox
      ? t('compose.simulated.actionSendLater', { groups })
      : t('compose.actionSendLater', { groups });
    return { title, button, page: button };
  }
  return {
    title: isSandbox ? t('compose.simulated.actionSend', { groups }) : t('compose.actionSend', { groups }),
    button: t('compose.send'),
  };
}

/** What prevents sending: also the refusal of a file, which the service gives when it saves the draft. */
function listProblems(
  { draft, fileProblem }: PersistedDraft,
  hasFile: boolean,
  shown: Parameters<typeof validateDraft>[2],
): string[] {
  const found = validateDraft(draft, hasFile, shown);
  return hasFile && fileProblem !== undefined ? [...found, problemText(fileProblem)] : found;
}

/** Sends the draft, or asks for its approval; deletes it, and opens the new campaign or request. */
function useSend({
  id,
  draft,
  name,
  file,
  drop,
  mustAsk,
  wait,
  ignoresQuietHours,
}: {
  id: string;
  draft: Draft;
  name: string;
  file: File | null;
  drop: () => Promise<void>;
  mustAsk: boolean;
  wait: Check['wait'];
  ignoresQuietHours: boolean;
}) {
  const zone = useZone();
  const client = useQueryClient();
  const [, go] = useLocation();
  return async (signal: AbortSignal) => {
    if (mustAsk) {
      await askForApproval(id, draft, name, file, signal);
      drop().catch(notifyError);
      void client.invalidateQueries({ queryKey: ['approvals'] });
      showToast(t('approvals.asked', { name }));
      return go(`/approvals/${id}`);
    }
    const campaignId = await sendDraft(draft, name, file, signal, { ignoresQuietHours });
    // The campaign was sent; a leftover draft only shows an error.
    drop().catch(notifyError);
    void client.invalidateQueries({ queryKey: ['campaigns'] });
    if (draft.isScheduled) showToast(t('compose.scheduled', { name }));
    else if (wait) showToast(t('compose.waiting', { name, why: waitText(wait, zone) }));
    else showToast(t('compose.sending', { name }));
    go(`/campaigns/${campaignId}`);
  };
}

function DiscardButton({ discard }: { discard: () => void }) {
  return (
    <Button variant="default" onClick={discard}>
      {t('compose.discard')}
    </Button>
  );
}

function isRejection(error: unknown): boolean {
  return error instanceof CampanileError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

function LengthCounter({ length, limit }: { length: number; limit: number }) {
  return (
    <Text size="sm" c={length > limit ? 'var(--mantine-color-error)' : 'dimmed'}>
      {t('compose.length', { length: count(length), limit: count(limit) })}
    </Text>
  );
}

/** A component of its own, so that the clock does not rerender the form. */
function TimedPreview({
  draft,
  text,
  language,
  file,
  check,
  zone,
}: {
  draft: Draft;
  /** In the language that is written in. */
  text: string;
  language: string;
  file: File | null;
  check: Check;
  zone: string;
}) {
  const nowMs = useNow();
  const time = draft.isScheduled ? timeOfDay(draft.time) : clockTime(new Date(nowMs), zone);
  const lacking = groupIssues(check).get(NO_VALUE) ?? [];
  return <PhonePreview {...{ draft, text, language, file, time, lacking }} reach={draft} />;
}

/** Whether the message has what members are to see. */
function isWritten(draft: Draft, hasText: boolean): boolean {
  return isBallot(draft) ? ballotProblems(draft).length === 0 : hasText;
}
