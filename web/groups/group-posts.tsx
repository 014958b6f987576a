import { Link } from 'wouter';
import type { GroupKind, GroupReport } from '../api/operations.ts';
import { failureText } from '../format/failure-text.ts';
import { count, share } from '../format/numbers.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section, SectionNote } from '../parts/page.tsx';
import textClasses from '../parts/text.module.css';
import { Count } from '../parts/count.tsx';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { ScrollBox, useVirtualRows } from '../parts/virtual-rows.tsx';
import { t } from '../i18n/translate.ts';
import classes from './group-page.module.css';

type Post = GroupReport['posts'][number];

const ROW_HEIGHT = 44;
/** With a second line below the name. */
const PHONE_ROW_HEIGHT = 58;
const SHOWN_ROWS = 12;
const SHOWN_FAILURES = 5;

/** The latest failures. */
export function GroupFailures({ posts }: { posts: readonly Post[] }) {
  const failed = posts.filter((post) => post.error !== null).slice(0, SHOWN_FAILURES);
  if (failed.length === 0) return null;
  return (
    <Section title={t('group.lastFailures')}>
      <ul className={classes.rows}>
        {failed.map((post) => (
          <li key={keyOf(post)}>
            <div>
              <CampaignLink post={post} />
              <div>{explain(post)}</div>
            </div>
            <span className={`${textClasses.dim} ${textClasses.nowrap}`}>
              <RelativeTime at={post.at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function explain(post: Post): string {
  const { what, todo } = failureText(post);
  return post.queued > 0 ? what : `${what} ${todo}`;
}

/** All posts of the last year, newest first. */
export function GroupPosts({ posts, kind }: { posts: readonly Post[]; kind: GroupKind }) {
  const rowHeight = useIsPhone() ? PHONE_ROW_HEIGHT : ROW_HEIGHT;
  const { box, first, last, before, after } = useVirtualRows(posts.length, rowHeight);
  if (posts.length === 0)
    return (
      <SectionNote title={t('group.posts')} sample="campaigns">
        {t('group.noPosts')}
      </SectionNote>
    );
  return (
    <Section title={t('group.postsOf', { many: count(posts.length) })}>
      <ScrollBox box={box} maxHeight={rowHeight * SHOWN_ROWS} label={t('group.posts')}>
        <table className={classes.posts} aria-rowcount={posts.length + 1}>
          <thead>
            <tr>
              <th scope="col" className={classes.name}>
                {t('group.campaign')}
              </th>
              <th scope="col" className={classes.wide}>
                {t('group.when')}
              </th>
              <th scope="col" className={classes.wide}>
                {t('group.state')}
              </th>
              <th scope="col" className={classes.wide}>
                {t('group.people')}
              </th>
              <th scope="col">{kind === 'channel' ? t('campaign.views') : t('groups.columns.read_rate')}</th>
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
            {posts.slice(first, last).map((post, index) => (
              <tr key={keyOf(post)} aria-rowindex={first + index + 2} style={{ height: rowHeight }}>
                <td className={classes.name}>
                  <CampaignLink post={post} />
                  <span className={classes.below}>
                    {stateOf(post)} · <RelativeTime at={post.at} />
                  </span>
                </td>
                <td className={classes.wide}>
                  <RelativeTime at={post.at} />
                </td>
                <td className={`${classes.wide} ${post.failed > 0 ? textClasses.failed : ''}`}>{stateOf(post)}</td>
                <td className={classes.wide}>{post.sent > 0 ? <Count of={post.recipients} /> : t('common.unknown')}</td>
                <td>{kind === 'channel' ? <Count of={post.read} /> : share(post.read_rate)}</td>
              </tr>
            ))}
            {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
          </tbody>
        </table>
      </ScrollBox>
    </Section>
  );
}

function CampaignLink({ post }: { post: Pick<Post, 'campaign_id' | 'name'> }) {
  return (
    <Link href={`/campaigns/${post.campaign_id}`} className={textClasses.clip} title={post.name}>
      {post.name}
    </Link>
  );
}

function keyOf(post: Post): string {
  return `${post.campaign_id} ${post.run_id ?? ''}`;
}

/** The state of one post; for a folded campaign how many of its posts were sent. */
function stateOf({ run_id: runId, queued, sent, failed, cancelled, skipped }: Post): string {
  if (runId === null)
    return t('campaigns.sentOf', { sent: count(sent), all: count(queued + sent + failed + cancelled) });
  if (sent > 0) return t('campaign.state.sent');
  if (failed > 0) return t('campaign.state.failed');
  if (skipped !== undefined) return t('campaign.state.leftOut');
  return cancelled > 0 ? t('campaign.state.cancelled') : t('campaign.state.waiting');
}
