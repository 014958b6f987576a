import { fileSize, count, share } from '../format/numbers.ts';
import { t } from '../i18n/translate.ts';
import { Icon, type IconName } from './icons.tsx';
import classes from './sample.module.css';

interface Row {
  icon: IconName;
  name: string;
  about?: string;
  end?: string;
}

/** What will stand in a place that is empty. */
export type SampleKind =
  | 'campaigns'
  | 'templates'
  | 'runs'
  | 'groups'
  | 'fields'
  | 'files'
  | 'webhooks'
  | 'keys'
  | 'notices'
  | 'report'
  | 'trend';

const ROWS: Readonly<Record<Exclude<SampleKind, 'report' | 'trend'>, () => Row[]>> = {
  campaigns: () => [
    { icon: 'check', name: t('samples.campaign'), about: t('status.completed'), end: share(0.84) },
    { icon: 'clock', name: t('samples.otherCampaign'), about: t('status.scheduled') },
  ],
  templates: () => [
    { icon: 'copy', name: t('samples.campaign'), about: t('templates.uses', { campaigns: 12 }), end: share(0.84) },
    { icon: 'copy', name: t('samples.otherCampaign'), about: t('templates.uses', { campaigns: 3 }), end: share(0.71) },
  ],
  runs: () => [
    { icon: 'clock', name: t('samples.campaign'), about: t('status.scheduled') },
    { icon: 'clock', name: t('samples.otherCampaign'), about: t('status.scheduled') },
  ],
  groups: () => [
    { icon: 'groups', name: t('samples.group'), about: sizeOf('group', 48), end: share(0.84) },
    { icon: 'groups', name: t('samples.otherGroup'), about: sizeOf('community', 312), end: share(0.71) },
  ],
  fields: () => [
    { icon: 'groups', name: t('samples.group'), end: t('samples.city') },
    { icon: 'groups', name: t('samples.otherGroup'), end: t('samples.otherCity') },
  ],
  files: () => [
    { icon: 'file', name: t('samples.campaign'), end: fileSize(240_000) },
    { icon: 'file', name: t('samples.otherCampaign'), end: fileSize(1_800_000) },
  ],
  webhooks: () => [{ icon: 'send', name: t('webhooks.urlExample'), about: t('webhooks.everything') }],
  keys: () => [{ icon: 'key', name: t('samples.key'), about: t('settings.scopeRead') }],
  notices: () => [{ icon: 'check', name: t('notices.texts.campaign_done', { count: 1, name: t('samples.campaign') }) }],
};

const sizeOf = (kind: 'group' | 'community', members: number) =>
  t('groups.sizeOf', { kind: t(`kinds.${kind}`), members });

/** In per cent of the height. */
const BARS = [35, 60, 45, 80, 55, 95, 70];

/** A faint sample in an empty place. Decorative: the sentence beside it says what to do, and screen readers pass over the sample. */
export default function Sample({ of: kind }: { of: SampleKind }) {
  return (
    <div className={classes.sample} aria-hidden="true" data-sample={kind}>
      {kind === 'report' && (
        <div className={classes.figures}>
          <Figure value={count(24)} label={t('overview.posts')} />
          <Figure value={count(8)} label={t('overview.groups')} />
          <Figure value={share(0.84)} label={t('overview.readRate')} />
        </div>
      )}
      {kind === 'report' || kind === 'trend' ? (
        <div className={classes.bars}>
          {BARS.map((height) => (
            <span key={height} style={{ height: `${height}%` }} />
          ))}
        </div>
      ) : (
        ROWS[kind]().map(({ icon, name, about, end }) => (
          <div key={name} className={classes.row}>
            <Icon name={icon} size={16} />
            <span className={classes.name}>
              {name}
              {about !== undefined && <span className={classes.about}>{about}</span>}
            </span>
            <span>{end}</span>
          </div>
        ))
      )}
    </div>
  );
}

function Figure({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.name}>
      {value}
      <span className={classes.about}>{label}</span>
    </span>
  );
}
