import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { call } from '../api/call.ts';
import type { FullApproval } from '../api/operations.ts';
import { sessionQuery, type SignedIn } from '../api/session.ts';
import { useMay } from '../api/workspace.ts';
import { ComposeLayout } from '../compose/compose-layout.tsx';
import { createSavedDraft, toCopiedDraft } from '../compose/create-draft.ts';
import { PhonePreview } from '../compose/phone-preview.tsx';
import { suggestName } from '../compose/suggest-name.ts';
import { Summary } from '../compose/summary.tsx';
import { sumOf } from '../compose/audience.ts';
import { useCheck } from '../compose/use-check.ts';
import { MAIN } from '../compose/languages.ts';
import { usePreview } from '../compose/use-preview.ts';
import { count } from '../format/numbers.ts';
import { listNames } from '../format/list-names.ts';
import { clockTime, timeOfDay } from '../format/time.ts';
import { personName } from '../format/person-name.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { notifyError } from '../parts/notify.ts';
import { Page, PageSkeleton, Section } from '../parts/page.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { t } from '../i18n/translate.ts';
import { approvalQuery, approvalsQuery } from './approval-queries.ts';
import { ApprovalStatus } from './approval-status.tsx';
import { DecideButtons } from './decide-buttons.tsx';
import { DifferenceSection } from './difference.tsx';
import { Thread } from './thread.tsx';

/** A post that waits for an approval, as the people see it who decide, and the person who asked. */
export default function ApprovalPage({ id }: { id: string }) {
  const approval = useQuery(approvalQuery(id));
  const { data: session } = useQuery(sessionQuery);
  if (approval.data && session) return <Approval approval={approval.data} session={session} />;
  const { error } = approval;
  if (error instanceof CampanileError && (error.status === 404 || error.status === 400)) return <NotFoundPage />;
  return error ? <ErrorAlert error={error} retry={() => void approval.refetch()} /> : <PageSkeleton />;
}

function Approval({ approval, session }: { approval: FullApproval; session: SignedIn }) {
  const { post, groups, files } = approval;
  const nowMs = useNow();
  const [openedAt] = useState(() => new Date());
  const { draft, file } = useMemo(
    () => toCopiedDraft(session.time_zone, post, { groups, files, now: openedAt }),
    [session.time_zone, post, groups, files, openedAt],
  );
  const hasFile = file !== null || draft.files.length > 0;
  const { preview } = usePreview(draft.html, { hasFile, withFields: draft.withFields });
  const isOpen = approval.state === 'waiting' || approval.state === 'changes_requested';
  // Once it is accepted, it would be warned of itself.
  const check = useCheck(draft, approval.name, hasFile, { isEnabled: isOpen });
  const time = draft.isScheduled ? timeOfDay(draft.time) : clockTime(new Date(nowMs), session.time_zone);
  const leaves = isOpen ? t('approvals.leavesWhenApproved') : null;
  const summary = <Summary {...{ draft, name: approval.name, file, preview, check, leaves }} />;
  return (
    <Page title={approval.name} actions={<ApprovalStatus of={approval} />}>
      <ComposeLayout
        sum={sumOf(draft)}
        buttons={
          approval.may_decide ? (
            <DecideButtons approval={approval} summary={summary} />
          ) : (
            <OwnButtons approval={approval} session={session} />
          )
        }
        preview={
          <PhonePreview draft={draft} text={approval.text} language={MAIN} file={file} time={time} reach={draft} />
        }
      >
        <Section title={t('approvals.request')}>
          <Stack gap="sm">
            <Standing approval={approval} />
            {summary}
            <GroupNames names={groups.map((group) => group.group_name)} />
          </Stack>
        </Section>
        <DifferenceSection of={approval} />
        <Thread approval={approval} />
      </ComposeLayout>
    </Page>
  );
}

const NAMES_SHOWN = 12;

/** The first names; of hundreds all on request, since the remarks stand below them. */
function GroupNames({ names }: { names: readonly string[] }) {
  const [isComplete, complete] = useDisclosure(names.length <= NAMES_SHOWN);
  return (
    <Text size="sm" dir="auto">
      {listNames(names, isComplete ? names.length : NAMES_SHOWN)}{' '}
      {names.length > NAMES_SHOWN && (
        <Anchor component="button" type="button" size="sm" onClick={complete.toggle}>
          {isComplete ? t('common.less') : t('common.more')}
        </Anchor>
      )}
    </Text>
  );
}

/** Who asked and who wrote it, how many have approved, and whose turn it is. */
function Standing({ approval }: { approval: FullApproval }) {
  const { asked_by: asker, written_by: writers, approvals, approvals_needed: needed, waits_for: people } = approval;
  const namesOf = (persons: typeof people) => persons.map(personName).join(', ');
  const names = namesOf(people);
  return (
    <div>
      <Text size="sm">{t('approvals.askedBy', { name: namesOf([asker]) })}</Text>
      {writers.length > 1 && <Text size="sm">{t('approvals.writtenBy', { names: namesOf(writers) })}</Text>}
      {approval.state === 'waiting' && (
        <Text size="sm">{t('approvals.progress', { approvals: count(approvals), needed })}</Text>
      )}
      {names !== '' && <Text size="sm">{t('approvals.waitsFor', { names })}</Text>}
      {approval.review_campaign_id !== null && (
        <Anchor component={Link} size="sm" href={`/campaigns/${approval.review_campaign_id}`}>
          {t('approvals.openReview')}
        </Anchor>
      )}
      {approval.reason === 'time_passed' && <Text size="sm">{t('approvals.timePassedHint')}</Text>}
    </div>
  );
}

/** For the person who asked: change the post, or take the request back. A link to the campaign that came of it. */
function OwnButtons({ approval, session }: { approval: FullApproval; session: SignedIn }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const isManager = useMay('manager') === true;
  const mayWrite = useMay('author') === true;
  const { approval_id: id, post, text, groups, files, asked_by: asker, campaign_id: campaignId } = approval;
  const withdrawing = useMutation({
    mutationFn: () => call('venom/withdraw-approval', { approval_id: id }),
    onSuccess: () => client.invalidateQueries({ queryKey: approvalsQuery.queryKey }),
    onError: notifyError,
  });
  if (campaignId !== null)
    return (
      <Button component={Link} href={`/campaigns/${campaignId}`}>
        {t('approvals.openCampaign')}
      </Button>
    );
  if (approval.state !== 'waiting' && approval.state !== 'changes_requested') return null;
  const change = () => {
    const { draft, file } = toCopiedDraft(session.time_zone, post, { groups, files, now: new Date() });
    // A name that was taken from the text follows the text.
    const isSuggested = draft.name === suggestName(draft, text, draft.files[0]?.name ?? '');
    go(createSavedDraft(client, isSuggested ? { ...draft, name: '' } : draft, file, id));
  };
  return (
    <Group gap="xs">
      {(isManager || asker.user_id === session.user_info.user_id) && (
        <Button variant="default" loading={withdrawing.isPending} onClick={() => withdrawing.mutate()}>
          {t('approvals.withdraw')}
        </Button>
      )}
      {mayWrite && <Button onClick={change}>{t('approvals.change')}</Button>}
    </Group>
  );
}
