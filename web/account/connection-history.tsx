import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountStatus } from '../api/operations.ts';
import { historyQuery } from '../api/queries.ts';
import { stateReasonText } from '../format/state-reason.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import textClasses from '../parts/text.module.css';
import { accountTone } from '../shell/account-pill.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { useChosenAccountId } from './chosen-account.ts';
import classes from './connection-history.module.css';

const FEW = 5;

/** The earlier states of the account, newest first. */
export function ConnectionHistory({ status }: { status: AccountStatus['status'] }) {
  const history = useQuery(historyQuery(status, useChosenAccountId()));
  const [isComplete, setComplete] = useState(false);
  const states = history.data ?? [];
  const hasMore = states.length > FEW;
  return (
    <Section title={t('account.history')}>
      <QueryStatus of={history} rows={2} />
      {states.length > 0 && (
        <ol className={classes.history}>
          {states.slice(0, isComplete ? undefined : FEW).map((past) => (
            <li key={past.at}>
              <span className={textClasses.dim}>
                <RelativeTime at={past.at} />
              </span>
              <Dot tone={accountTone(past)} label={t(`account.status.${past.status}`)} />
              <span className={textClasses.dim}>
                {past.messenger === 'sandbox' ? t('account.sandbox') : t('account.whatsapp')}
              </span>
              {past.reason !== null && (
                <span className={classes.why}>{stateReasonText({ ...past, reason: past.reason })}</span>
              )}
            </li>
          ))}
        </ol>
      )}
      {hasMore && (
        <Button size="xs" variant="default" mt="sm" onClick={() => setComplete(!isComplete)}>
          {isComplete ? t('common.less') : t('common.more')}
        </Button>
      )}
    </Section>
  );
}
