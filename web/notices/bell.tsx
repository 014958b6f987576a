import { ActionIcon, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { noticesQuery } from '../api/notices.ts';
import { Icon } from '../parts/icons.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { notifyError } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import classes from './bell.module.css';
import { resumePush } from './load-push.ts';

const NoticeList = lazy(lazyWithRetry(async () => ({ default: (await import('./notice-list.tsx')).NoticeList })));
/** There is no room for more digits. */
const MOST_SHOWN = 99;

/** The unread count, on every page; opens the list. */
export function Bell() {
  const { data } = useInfiniteQuery(noticesQuery);
  const [isOpen, list] = useDisclosure(false);
  useEffect(() => void resumePush().catch(notifyError), []);
  const unread = data?.pages[0]?.unread_count ?? 0;
  const shown = unread > MOST_SHOWN ? `${MOST_SHOWN}+` : String(unread);
  return (
    <Popover
      opened={isOpen}
      onDismiss={list.close}
      position="bottom-start"
      width={340}
      floatingStrategy="fixed"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          className={classes.bell}
          aria-label={t('notices.bell', { unread, shown })}
          onClick={list.toggle}
        >
          <Icon name="bell" size={20} />
          {unread > 0 && <span className={classes.count}>{shown}</span>}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <Suspense>{isOpen && <NoticeList close={list.close} />}</Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
