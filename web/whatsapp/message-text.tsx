import { parseWhatsApp, type Look, type SeenLine } from '../../src/text/parse-whatsapp.ts';

const LINK = /(https?:\/\/[^\s<>"`]*[^\s<>"`.,;:!?'")\]}*_~»”’…])/i;

/** A message's text as a member sees it: our own reader of WhatsApp's marks decides what is bold and what is a list. */
export function MessageText({ text }: { text: string }) {
  return (
    <div className="wa-text">
      {parseWhatsApp(text).map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </div>
  );
}

function Line({ line }: { line: SeenLine }) {
  const content = line.runs.map((run, index) => <Run key={index} text={run.text} looks={run.looks} />);
  if (line.kind === 'text') return <p>{content.length > 0 ? content : <br />}</p>;
  if (line.kind === 'quote') return <p className="wa-quote">{content}</p>;
  return (
    <p className="wa-item">
      <span className="wa-marker">{line.kind === 'bullet' ? '•' : `${line.number ?? ''}.`}</span>
      <span>{content}</span>
    </p>
  );
}

function Run({ text, looks }: { text: string; looks: readonly Look[] }) {
  return (
    <span className={looks.map((look) => `wa-${look}`).join(' ')}>
      {text.split(LINK).map((part, index) =>
        index % 2 === 1 ? (
          <span key={index} className="wa-link">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </span>
  );
}
