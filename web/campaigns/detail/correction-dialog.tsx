import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Analytics, Campaign, Run } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { useCancellableMutation } from '../../api/use-cancellable-mutation.ts';
import { shownCard, type Card } from '../../compose/card.ts';
import { CardField } from '../../compose/card-field.tsx';
import { usePreview } from '../../compose/use-preview.ts';
import { useStoredCard } from '../../compose/use-stored-card.ts';
import { clockTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { ErrorAlert, ErrorText } from '../../parts/error-alert.tsx';
import { PartSkeleton } from '../../parts/page.tsx';
import { TextChange } from '../text-change.tsx';
import { Post } from '../../whatsapp/bubble.tsx';
import { ChatOnly } from '../../whatsapp/phone.tsx';
import { t } from '../../i18n/translate.ts';
import { RevisionConsequences } from './revision-consequences.tsx';
import classes from './correction-dialog.module.css';
import { useRevise } from './use-revise.ts';
import { lazyWithRetry } from '../../parts/lazy-with-retry.ts';

const Editor = lazy(lazyWithRetry(() => import('../../compose/editor.tsx')));

interface CorrectionProps {
  analytics: Analytics;
  /** The whole campaign if undefined. */
  run: Run | undefined;
  opened: boolean;
  close: () => void;
}

/** Edits the text of sent posts, beside a preview. */
export function CorrectionDialog({ analytics, run, opened, close }: CorrectionProps) {
  const post = useQuery({ ...campaignQuery(analytics.campaign.campaign_id), enabled: opened });
  const stored = useStoredCard(post.data?.link_preview ?? null);
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t('revise.correct.title', { name: analytics.campaign.name })}
      size="xl"
    >
      {(post.isPending || (post.data && !stored.isComplete && !stored.isError)) && <PartSkeleton height={220} />}
      {post.isError && <ErrorAlert error={post.error} retry={() => void post.refetch()} />}
      {stored.isError && <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />}
      {post.data && stored.isComplete && (
        <CorrectionForm analytics={analytics} run={run} post={post.data} stored={stored.card} close={close} />
      )}
    </Modal>
  );
}

function CorrectionForm({
  analytics,
  run,
  post,
  stored,
  close,
}: Omit<CorrectionProps, 'opened'> & { post: Campaign; stored: Card | null }) {
  const zone = useZone();
  const [first] = useState(post.html);
  const [html, setHtml] = useState(first);
  const [before] = useState(stored);
  const [card, setCard] = useState(stored);
  const hasFile = post.media !== null;
  const { preview, error, isSettled } = usePreview(html, hasFile);
  const revise = useRevise({ campaignId: post.campaign_id, runId: run?.run_id });
  const isOtherCard = card !== null && JSON.stringify(card) !== JSON.stringify(before);
  const acting = useCancellableMutation({
    act: (_nothing: void, signal) => revise(signal, html, isOtherCard ? card : undefined),
    onSuccess: close,
  });
  const hasChanged = html !== first || isOtherCard;
  const isReady = isSettled && !error && hasChanged && (preview.length > 0 || hasFile);
  const kind = analytics.groups[0]?.kind ?? 'group';
  const at = analytics.groups[0]?.first_sent_at ?? post.created_at;
  return (
    <Stack gap="md">
      <div className={classes.correct}>
        <Stack gap="sm">
          <Suspense fallback={<PartSkeleton height={220} />}>
            <Editor html={html} onChange={setHtml} onFile={() => undefined} />
          </Suspense>
          <CardField
            card={card}
            change={setCard}
            preview={preview}
            isSettled={isSettled && !error}
            hasFile={hasFile}
            isAutomatic={html !== first}
          />
        </Stack>
        <ChatOnly label={t('compose.preview')}>
          <Post
            text={preview.text}
            media={post.media}
            card={shownCard(card, preview.text)}
            time={clockTime(at, zone)}
            kind={kind}
            isEdited
          />
        </ChatOnly>
      </div>
      <RevisionConsequences revision="correct" analytics={analytics} run={run}>
        {html !== first && <TextChange before={post.text} after={preview.text} />}
      </RevisionConsequences>
      <ErrorText error={error ?? acting.error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          {t('common.back')}
        </Button>
        <Button disabled={!isReady} loading={acting.isPending} onClick={() => acting.mutate()}>
          {t('revise.correct.action')}
        </Button>
      </Group>
    </Stack>
  );
}
