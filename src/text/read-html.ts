import { OpenElements } from './open-elements.ts';
import { scanHtml } from './scan-html.ts';
import type { HtmlSink } from './tags.ts';
import { tokenizeHtml, type Findings } from './tokenize-html.ts';

/**
 * Reads HTML as a browser does, unclosed and misnested tags included, and tells `sink` what it finds, in time linear in its
 * length. Answers what cannot be sent, and undefined when the HTML is fine. Where there is any such, what the sink made of what it
 * heard is to be thrown away.
 */
export function readHtml(html: string, sink: HtmlSink): Findings | undefined {
  const open = new OpenElements(sink);
  // Nothing is read twice: between two tags a tokenizer knows no more of what was before than this.
  const scanned = scanHtml(html, open);
  const findings = scanned < html.length ? tokenizeHtml(html.slice(scanned), open) : undefined;
  open.finish();
  return findings && hasFindings(findings) ? findings : undefined;
}

function hasFindings({ tags, links, tooDeep }: Findings): boolean {
  return tags.size > 0 || links.size > 0 || tooDeep;
}
