import { Link } from 'wouter';
import type { Campaign } from '../../api/operations.ts';
import classes from './outcome-list.module.css';

/** A link to the campaign that another one answers or follows up. */
export function EarlierCampaign({ campaign: { campaign_id: id, name } }: { campaign: Campaign }) {
  return (
    <Link href={`/campaigns/${id}`} className={classes.link} dir="auto">
      {name}
    </Link>
  );
}
