import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CampanileError } from '../../../clients/typescript/failure.ts';
import { mediaQuery } from '../../api/media.ts';
import { analyticsQuery, campaignQuery } from '../../api/queries.ts';
import { useMay } from '../../api/workspace.ts';
import { useStoredCard } from '../../compose/use-stored-card.ts';
import { Empty } from '../../parts/empty.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Page, PageSkeleton } from '../../parts/page.tsx';
import { RoleNote } from '../../parts/role-note.tsx';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { t } from '../../i18n/translate.ts';
import { libraryFilesOf } from './diff-draft.ts';
import { EditForm } from './edit-form.tsx';

/** Edits the part of a scheduled campaign that has not started. */
export default function EditCampaignPage({ id }: { id: string }) {
  // Not refetched: a form must not change while it is edited.
  const still = { refetchInterval: false, refetchOnWindowFocus: false, refetchOnReconnect: false } as const;
  const post = useQuery({ ...campaignQuery(id), ...still });
  const analytics = useQuery({ ...analyticsQuery(id), ...still });
  const [round, setRound] = useState(0);
  const maySend = useMay('manager') !== false;
  const isLibrary = post.data !== undefined && libraryFilesOf(post.data).length > 0;
  const media = isLibrary ? null : (post.data?.media ?? null);
  const file = useQuery({ ...mediaQuery(media?.sha256 ?? ''), enabled: media !== null });
  const card = useStoredCard(post.data?.link_preview ?? null);
  const error = post.error ?? analytics.error ?? file.error ?? card.error;
  if (error instanceof CampanileError && (error.status === 404 || error.status === 400) && !post.data)
    return <NotFoundPage />;
  const isComplete = post.data && analytics.data && (media === null || file.data) && card.isComplete;
  // Errors never hide a form that is being edited.
  if (error && !isComplete)
    return (
      <ErrorAlert
        error={error}
        retry={() =>
          void Promise.all([post, analytics, file, card].filter((one) => one.isError).map((one) => one.refetch()))
        }
      />
    );
  if (!post.data || !analytics.data) return <PageSkeleton />;
  if (!maySend)
    return (
      <Page title={t('change.title', { name: post.data.name })}>
        <RoleNote needs="manager" />
      </Page>
    );
  const isOver = ['completed', 'completed_with_errors', 'cancelled'].includes(post.data.status);
  if (!post.data.is_schedule || isOver)
    return (
      <Page title={t('change.title', { name: post.data.name })}>
        <Empty title={t('change.tooLate')} link={{ href: `/campaigns/${id}`, label: t('change.back') }}>
          {t('change.tooLateHint')}
        </Empty>
      </Page>
    );
  if ((media !== null && !file.data) || !card.isComplete) return <PageSkeleton />;
  return (
    <EditForm
      key={round}
      campaign={post.data}
      known={analytics.data.groups}
      stored={file.data ?? null}
      card={card.card}
      again={() => setRound(round + 1)}
    />
  );
}
