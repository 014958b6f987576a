import { parseWhatsApp, type TextStyle, type SeenLine } from '../../src/content/text/parse-whatsapp.ts';
import classes from './message-text.module.css';

const LINK = /(https?:\/\/[^\s<>"`]*[^\s<>"`.,;:!?'")\]}*_~»”’…])/i;

/** A message as members see it: the service's own parser decides what is bold and what is a list. */
export function MessageText({ text, className }: { text: string; className?: string | undefined }) {
  return (
    <div className={className}>
      {parseWhatsApp(text).map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </div>
  );
}

function Line({ line }: { line: SeenLine }) {
  const content = line.runs.map((run, index) => <Run key={index} text={run.text} styles={run.styles} />);
  if (line.kind === 'text')
    return (
      <p dir="auto" className={classes.line}>
        {content.length > 0 ? content : <br />}
      </p>
    );
  if (line.kind === 'quote')
    return (
      <p dir="auto" className={`${classes.line} ${classes.quote}`}>
        {content}
      </p>
    );
  return (
    <p dir="auto" className={`${classes.line} ${classes.item}`}>
      <span className={classes.marker}>{line.kind === 'bullet' ? '•' : `${line.number ?? ''}.`}</span>
      <span>{content}</span>
    </p>
  );
}

function Run({ text, styles }: { text: string; styles: readonly TextStyle[] }) {
  return (
    <span className={classes.run} data-styles={styles.join(' ')}>
      {text.split(LINK).map((part, index) =>
        index % 2 === 1 ? (
          <span key={index} className={classes.link}>
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </span>
  );
}
