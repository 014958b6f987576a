import { useDisconnectedSince } from '../api/connection.ts';
import { clockTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { words } from '../words/words.ts';
import classes from './connection-banner.module.css';

/** Says, above whatever page it is, since when the service is out of reach; nothing otherwise. */
export function ConnectionBanner() {
  const zone = useZone();
  const lostSince = useDisconnectedSince();
  // There before it has something to say: else nobody would hear it.
  return (
    <div role="status" className={classes.place}>
      {lostSince !== undefined && (
        <p className={classes.bar}>
          <Icon name="alert" size={16} />
          {words.connection.lost(clockTime(new Date(lostSince), zone))}
        </p>
      )}
    </div>
  );
}
