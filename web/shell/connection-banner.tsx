import { useDisconnectedSince } from '../api/connection.ts';
import { clockTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import classes from './connection-banner.module.css';

/** Says on every page since when the service is unreachable. */
export function ConnectionBanner() {
  const zone = useZone();
  const lostSince = useDisconnectedSince();
  // Always mounted: screen readers announce only changes of an existing live region.
  return (
    <div role="status" className={classes.region}>
      {lostSince !== undefined && (
        <p className={classes.bar}>
          <Icon name="alert" size={16} />
          {t('connection.lost', { since: clockTime(new Date(lostSince), zone) })}
        </p>
      )}
    </div>
  );
}
