import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Analytics, Campaign, Run } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { useCancellableMutation } from '../../api/use-cancellable-mutation.ts';
import { shownCard, type Card } from '../../compose/card.ts';
import { CardField } from '../../compose/card-field.tsx';
import { emptyDraft } from '../../compose/draft.ts';
import { useTexts } from '../../compose/languages.ts';
import { toReach } from '../../compose/reach.ts';
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

const MessageTexts = lazy(lazyWithRetry(() => import('../../compose/message-texts.tsx')));

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
  const [first] = useState(() => ({ ...emptyDraft(zone), ...toReach(post), html: post.html }));
  const [draft, setDraft] = useState(first);
  const [before] = useState(stored);
  const [card, setCard] = useState(stored);
  const hasFile = post.media !== null;
  const { html, translations, withFields } = draft;
  const { language, write, written, error, isSettled, preview } = useTexts(draft, hasFile);
  const revise = useRevise({ campaignId: post.campaign_id, runId: run?.run_id });
  const isOtherCard = card !== null && JSON.stringify(card) !== JSON.stringify(before);
  const acting = useCancellableMutation({
    act: (_nothing: void, signal) =>
      revise(signal, {
        html,
        translations: [...translations],
        with_fields: withFields,
        ...(isOtherCard && { link_preview: card }),
      }),
    onSuccess: close,
  });
  const isOtherText = html !== first.html;
  const hasChanged = isOtherText || isOtherCard || JSON.stringify(translations) !== JSON.stringify(first.translations);
  const isWritten = (preview.length > 0 || hasFile) && translations.every((one) => one.html !== '');
  const isReady = isSettled && !error && hasChanged && isWritten;
  return (
    <Stack gap="md">
      <div className={classes.correct}>
        <Stack gap="sm">
          <Suspense fallback={<PartSkeleton height={220} />}>
            <MessageTexts
              {...{ draft, language, write }}
              update={(next) => setDraft((now) => ({ ...now, ...next }))}
              onFile={() => undefined}
            />
          </Suspense>
          <CardField
            card={card}
            change={setCard}
            preview={preview}
            isSettled={isSettled && !error}
            hasFile={hasFile}
            isAutomatic={isOtherText}
          />
        </Stack>
        <ChatOnly label={t('compose.preview')}>
          <CorrectedPost text={written.preview.text} {...{ analytics, post, card }} />
        </ChatOnly>
      </div>
      <RevisionConsequences revision="correct" analytics={analytics} run={run}>
        {isOtherText && <TextChange before={post.text} after={preview.text} />}
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

function CorrectedPost({
  analytics,
  post,
  card,
  text,
}: Pick<CorrectionProps, 'analytics'> & { post: Campaign; card: Card | null; text: string }) {
  const zone = useZone();
  const [first] = analytics.groups;
  return (
    <Post
      text={text}
      media={post.media}
      card={shownCard(card, text)}
      time={clockTime(first?.first_sent_at ?? post.created_at, zone)}
      kind={first?.kind ?? 'group'}
      isEdited
    />
  );
}
