import { Node } from '@tiptap/react';
import { TYPED } from '../../src/content/text/typed-text.ts';

const { name, value } = TYPED;

/** A text in WhatsApp's own marks, as a program sent it. The editor shows and keeps its signs, which say more than the tags of a campaign. */
export const TypedParagraph = Node.create({
  name: 'typedParagraph',
  group: 'block',
  content: 'text*',
  marks: '',
  // Typing and pasting change nothing into marks here.
  code: true,
  parseHTML: () => [{ tag: `p[${name}="${value}"]`, priority: 60, preserveWhitespace: 'full' as const }],
  renderHTML: () => ['p', { [name]: value }, 0],
});
