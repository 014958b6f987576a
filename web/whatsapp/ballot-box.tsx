import type { DraftEvent, DraftPoll } from '../compose/ballot.ts';
import { exactTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import classes from './ballot-box.module.css';

export type ShownPoll = Pick<DraftPoll, 'question' | 'options' | 'multiple'>;
export type ShownEvent = DraftEvent;

/** A poll as members see it. */
export function PollBox({ poll: { question, options, multiple } }: { poll: ShownPoll }) {
  return (
    <div className={classes.box}>
      <p className={classes.title}>{question || t('compose.poll.question')}</p>
      <p className={classes.hint}>{multiple ? t('phone.chooseSeveral') : t('phone.chooseOne')}</p>
      <ul className={classes.options}>
        {options.map((option, index) => (
          // Options have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <Icon name="circle" size={16} /> {option || t('compose.poll.option', { number: String(index + 1) })}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** An event as members see it, with the answers that they may choose. */
export function EventBox({ event }: { event: ShownEvent }) {
  const zone = useZone();
  return (
    <div className={classes.box}>
      <p className={classes.title}>
        <Icon name="calendar" size={16} /> {event.name || t('compose.event.name')}
      </p>
      {event.start_at !== null && (
        <p className={classes.hint}>
          {exactTime(event.start_at, zone)}
          {event.end_at !== null && ` – ${exactTime(event.end_at, zone)}`}
        </p>
      )}
      {event.place !== null && <p className={classes.hint}>{event.place}</p>}
      {event.description !== null && <p className={classes.text}>{event.description}</p>}
      <ul className={classes.options}>
        {(['going', 'maybe', 'not_going'] as const).map((answer) => (
          <li key={answer}>
            <Icon name="circle" size={16} /> {t(`poll.answers.${answer}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}
