import { Anchor, Title } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type MouseEvent } from 'react';
import { Link } from 'wouter';
import { noticesQuery, markAllRead } from '../api/notices.ts';
import type { Notice, NoticeKind } from '../api/operations.ts';
import { openWorkspace } from '../api/chosen-workspace.ts';
import { useWorkspace } from '../api/workspace.ts';
import { shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { notifyError } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import classes from './bell.module.css';

const ICONS: Readonly<Record<NoticeKind, IconName>> = {
  campaign_done: 'check',
  campaign_failed: 'alert',
  campaign_late: 'clock',
  campaign_missed: 'stopped',
  campaign_paused: 'pause',
  campaign_rescheduled: 'clock',
  campaign_waiting: 'clock',
  campaign_decided: 'check',
  account_unlinked: 'account',
  version_refused: 'account',
  account_waiting: 'account',
  account_handed_over: 'account',
  webhook_off: 'send',
  backup_old: 'file',
};

/** The notices, each linked to its subject. Opening the list marks them read. */
export function NoticeList({ close }: { close: () => void }) {
  const client = useQueryClient();
  const list = useInfiniteQuery(noticesQuery);
  const notices = list.data?.pages.flatMap((page) => page.notices) ?? [];
  const unread = useUnreadAtFirst(notices);
  const newest = notices[0]?.place;
  useEffect(() => {
    if (newest !== undefined) void markAllRead(client).catch(notifyError);
  }, [client, newest]);
  return (
    <>
      <div className={classes.header}>
        <Title order={2} size="h5">
          {t('notices.title')}
        </Title>
        <Anchor component={Link} href="/settings#notices" size="sm" onClick={close}>
          {t('notices.choose')}
        </Anchor>
      </div>
      {list.isError && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.data && notices.length === 0 && (
        <div className={classes.none}>
          <Empty isSmall sample="notices">
            {t('notices.none')}
          </Empty>
        </div>
      )}
      {notices.length > 0 && (
        <ul className={classes.list}>
          {notices.map((notice) => (
            <li key={notice.place}>
              <Row notice={notice} isUnread={unread.has(notice.place)} close={close} />
            </li>
          ))}
          <li>
            <LoadMoreButton of={list} variant="subtle" size="compact-sm" fullWidth my={6} />
          </li>
        </ul>
      )}
    </>
  );
}

/** Returns the notices that were unread when they came into the list: they stay highlighted while it is open. */
function useUnreadAtFirst(notices: readonly Notice[]): ReadonlySet<number> {
  const [unread, setUnread] = useState<ReadonlySet<number>>(new Set());
  const more = notices.filter(({ is_read: isRead, place }) => !isRead && !unread.has(place));
  if (more.length > 0) setUnread(new Set([...unread, ...more.map(({ place }) => place)]));
  return unread;
}

function Row({ notice, isUnread, close }: { notice: Notice; isUnread: boolean; close: () => void }) {
  const { kind, at } = notice;
  const href = pageOf(notice);
  const workspace = useWorkspace();
  const follow = (event: MouseEvent) => {
    const { workspace_id: id } = notice;
    const isElsewhere = id !== undefined && workspace !== undefined && id !== workspace.workspace_id;
    if (!isElsewhere) return close();
    event.preventDefault();
    openWorkspace(id, href);
  };
  const className = `${classes.row} ${isUnread ? classes.unread : ''}`;
  const content = (
    <>
      <Icon name={ICONS[kind]} className={`${classes.icon} ${kind === 'campaign_done' ? '' : classes.bad}`} />
      <span>
        <NoticeText notice={notice} />
        <span className={classes.when}>
          <RelativeTime at={at} />
        </span>
      </span>
    </>
  );
  return href === undefined ? (
    <div className={className}>{content}</div>
  ) : (
    <Link href={href} className={className} onClick={follow}>
      {content}
    </Link>
  );
}

/** Kinds whose text names the account. */
const NAMES_ACCOUNT: ReadonlySet<NoticeKind> = new Set(['account_waiting', 'account_handed_over']);

function NoticeText({ notice }: { notice: Notice }) {
  const {
    kind,
    campaign,
    approval,
    account,
    handed_over: handedOver,
    decision,
    due_at: dueAt,
    down_since: downSince,
    waits_for: reason,
    url,
  } = notice;
  const zone = useZone();
  const unnamed = t(account ? 'notices.mainAccount' : 'notices.unnamed');
  const name = (campaign ?? approval ?? account)?.name?.trim() || (url ?? unnamed);
  return (
    <>
      {t(`notices.texts.${kind}`, { count: 1, name, posts: handedOver ?? 0 })}
      {account?.name != null && !NAMES_ACCOUNT.has(kind) && ` ${t('notices.account', { name })}`}
      {decision !== null && ` ${t(`notices.decisions.${decision}`)}`}
      {dueAt !== null && ` ${t('notices.due', { time: shortTime(dueAt, zone) })}`}
      {reason !== null && ` ${t(`waits.${reason}`)}`}
      {downSince !== null && ` ${t('notices.downSince', { time: shortTime(downSince, zone) })}`}
    </>
  );
}

/** Returns the page about the notice; undefined if the dashboard has none. */
function pageOf({ kind, campaign, approval, account }: Notice): string | undefined {
  if (approval) return `/approvals/${approval.approval_id}`;
  if (campaign) return `/campaigns/${campaign.campaign_id}`;
  if (kind === 'webhook_off') return '/settings';
  if (kind === 'backup_old') return undefined;
  return account ? `/account?account=${account.account_id}` : '/account';
}
