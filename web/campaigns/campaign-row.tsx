import { Link } from 'wouter';
import type { CampaignRow as Row } from '../api/operations.ts';
import { count, share } from '../format/numbers.ts';
import { shortTime, zoneName } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Moment } from '../parts/moment.tsx';
import { Progress } from '../parts/progress.tsx';
import { Status } from '../parts/status.tsx';
import { words } from '../words/words.ts';
import { RowMenu } from './row-menu.tsx';

export function CampaignRow({ campaign }: { campaign: Row }) {
  const { progress, next_run_at: nextRunAt, status } = campaign;
  const zone = useZone();
  const waitsForRun =
    nextRunAt !== null && (status === 'scheduled' || status === 'paused') && progress.deliveries === 0;
  return (
    <li className="campaign-item">
      <Link href={`/campaigns/${campaign.campaign_id}`} className="campaign-row">
        <span className="campaign-name clip">{campaign.name}</span>
        <Status of={status} />
        <span className={waitsForRun ? 'campaign-progress campaign-next' : 'campaign-progress'}>
          {waitsForRun ? (
            <span className="dim">
              {words.campaigns.nextRun(shortTime(nextRunAt, zone), zoneName(zone, new Date(nextRunAt)))}
            </span>
          ) : (
            <>
              <Progress {...progress} label={words.campaigns.progressLabel(campaign.name)} />
              <span className="campaign-counts">
                {words.campaigns.sentOf(count(progress.sent), count(progress.deliveries))}
                {progress.failed > 0 && (
                  <span className="failed-text"> · {words.campaigns.failed(count(progress.failed))}</span>
                )}
              </span>
            </>
          )}
        </span>
        {!waitsForRun && (
          <span className="campaign-read dim">
            {progress.delivered ? words.campaigns.readShare(share((progress.read ?? 0) / progress.delivered)) : ''}
          </span>
        )}
        <span className="campaign-when dim">
          <Moment at={campaign.created_at} />
        </span>
      </Link>
      <RowMenu campaign={campaign} />
    </li>
  );
}
