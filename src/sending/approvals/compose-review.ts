/** The text of a post in the review group: who asks, when it would leave and to whom, and the post itself. */
import type { PostExtras } from '../../content/post/post-extras.ts';
import { LANGUAGES, knownLanguage } from '../../platform/i18n/languages.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';
import type { Translate } from '../../platform/i18n/translator.ts';
import type { AskedPost } from './asked-post.ts';

/** What a request says besides its post. */
export interface Shown {
  version: number;
  /** The user name of the person who asks. */
  askedBy: string;
  /** When it would leave, in order. Empty: as soon as it is approved. */
  dueAt: readonly Date[];
  /** The names of its first groups. */
  groupNames: readonly string[];
}

/** Whose language and time zone it is in. */
export interface Reader {
  language: string | null;
  /** IANA. */
  timeZone: string;
}

export interface Review {
  /** Of the campaign. */
  name: string;
  /** The lines above the post. */
  header: string[];
  /** Of the message: the header, and the post as its groups would get it. A poll or an event is written out. */
  text: string;
}

/** Of a campaign. */
const NAME_LIMIT = 200;
/** Groups that are named. */
export const NAMED_GROUPS = 10;
const LINE = '———';
const DAY_SECONDS = 86_400;

/** Returns a post as the review group is shown it. */
export function composeReview(post: AskedPost, shown: Shown, reader: Reader): Review {
  const language = knownLanguage(reader.language);
  const t = translatorFor(language);
  const { extras, groupIds } = post;
  const formats = new Intl.DateTimeFormat(LANGUAGES[language].locale, {
    timeZone: post.plan.timeZone ?? reader.timeZone,
    dateStyle: 'full',
    timeStyle: 'long',
  });
  const format = (at: Date) => formats.format(at);
  const { groupNames: names } = shown;
  const list = names.map(toLine).join(', ');
  const more = groupIds.length - names.length;
  const header = [
    `*${t('review.title', { version: String(shown.version) })}*`,
    // `forgetPerson` finds this line again.
    t('approvals.askedBy', { name: shown.askedBy }),
    describeTimes(t, shown.dueAt.map(format)),
    more > 0 ? t('review.moreGroups', { names: list, more }) : t('review.groups', { names: list }),
    ...(extras.mentionAll ? [t('review.mentionAll')] : []),
    ...(extras.pinSeconds === undefined
      ? []
      : [t('review.pins', { days: Math.round(extras.pinSeconds / DAY_SECONDS) })]),
    ...(extras.replyTo ? [t('review.quotes')] : []),
    ...(extras.followUp ? [t('review.followUp', { percent: String(extras.followUp.underPercent) })] : []),
    t('review.howTo'),
  ];
  const name = t('review.campaign', { name: post.name }).slice(0, NAME_LIMIT).toWellFormed();
  return { name, header, text: [...header, LINE, writeOut(post.text, extras, format)].join('\n') };
}

function describeTimes(t: Translate, times: readonly string[]): string {
  const [first] = times;
  const last = times.at(-1);
  if (first === undefined || last === undefined) return t('review.leavesNow');
  if (times.length === 1) return t('review.leavesOnce', { time: first });
  return t('review.leavesOften', { posts: times.length, first, last });
}

/** The text of a post, or of what it asks its recipients. */
function writeOut(text: string, { poll, event }: PostExtras, format: (at: Date) => string): string {
  if (poll)
    return [`*${poll.question}*`, ...poll.options.map((option) => `${poll.isMultiple ? '☐' : '○'} ${option}`)].join(
      '\n',
    );
  if (!event) return text;
  const times = [event.startAt, event.endAt].flatMap((at) => (at === undefined ? [] : [format(new Date(at))]));
  const lines = [`*${event.name}*`, event.description, times.join(' – '), event.place];
  return lines.filter((line) => line !== undefined && line !== '').join('\n');
}

/** Names of groups are written by people, and must not look like further lines of the header. */
function toLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ').trim();
}
