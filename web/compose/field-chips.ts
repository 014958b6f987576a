import { Extension } from '@tiptap/core';
import { Plugin } from '@tiptap/pm/state';
import { Decoration, DecorationSet } from '@tiptap/pm/view';

const FIELD = /\{\{[^{}]+\}\}/g;

/** Draws what looks like a field as a chip. It stays text, which is typed, copied and formatted as any other. */
export const FieldChips = Extension.create({
  name: 'fieldChips',
  addProseMirrorPlugins: () => [
    new Plugin({
      props: {
        decorations({ doc }) {
          const chips: Decoration[] = [];
          doc.descendants((node, at) => {
            for (const { index, 0: found } of node.text?.matchAll(FIELD) ?? [])
              chips.push(Decoration.inline(at + index, at + index + found.length, { class: 'field-chip' }));
          });
          return DecorationSet.create(doc, chips);
        },
      },
    }),
  ],
});
