import type { Node } from '@tiptap/pm/model';
import { getSchema, type Extensions, type JSONContent } from '@tiptap/react';
import { StarterKit } from '@tiptap/starter-kit';
import { FieldChips } from './field-chips.ts';
import { Link } from './link-extension.ts';
import { LinesParser } from './lines-parser.ts';
import { LinesSerializer } from './lines-serializer.ts';
import { TypedParagraph } from './typed-paragraph.ts';
import { WhatsAppFormatting, type WhatsAppOptions } from './whatsapp-formatting.ts';

/** The editor's extensions: only the tags that a campaign may have. */
export function messageExtensions(options: WhatsAppOptions): Extensions {
  return [
    StarterKit.configure({
      blockquote: false,
      code: false,
      codeBlock: false,
      horizontalRule: false,
      strike: false,
      underline: false,
      // Neither changes the html, but both need styles of their own.
      dropcursor: false,
      gapcursor: false,
      link: false,
    }),
    Link,
    TypedParagraph,
    FieldChips,
    WhatsAppFormatting.configure(options),
  ];
}

/** Parses the html of a campaign into the editor's document. */
export function parseMessage(html: string): JSONContent {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return new LinesParser(messageSchema).parse(body).toJSON() as JSONContent;
}

/** Serializes the editor's document to the html of a campaign; empty if it has no text. */
export function serializeMessage(content: Node): string {
  if (content.textContent.trim() === '') return '';
  const holder = document.createElement('div');
  holder.append(new LinesSerializer(content.type.schema).serializeFragment(content.content));
  return holder.innerHTML;
}

export const messageSchema = getSchema(messageExtensions({ onPlainText: () => undefined }));
