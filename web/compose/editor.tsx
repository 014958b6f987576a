import '@mantine/tiptap/styles.layer.css';
import { RichTextEditor } from '@mantine/tiptap';
import { useEditor } from '@tiptap/react';
import { StarterKit } from '@tiptap/starter-kit';
import { useEffect, useRef } from 'react';
import { words } from '../words/words.ts';
import { cleanPasted } from './clean-pasted.ts';
import { Link } from './link.ts';
import classes from './editor.module.css';

const extensions = [
  StarterKit.configure({
    blockquote: false,
    code: false,
    codeBlock: false,
    horizontalRule: false,
    strike: false,
    underline: false,
    // Neither leaves anything in the html, but both need styles of their own.
    dropcursor: false,
    gapcursor: false,
    link: false,
  }),
  Link,
];

/**
 * Writes the message. Its schema knows no more than the tags that a campaign may have, so whatever is typed or pasted comes out
 * as those. Files that are pasted or dropped go to `onFile`.
 */
export default function Editor({
  html,
  onChange,
  onFile,
}: {
  html: string;
  onChange: (html: string) => void;
  onFile: (file: File) => void;
}) {
  const takeFile = useRef(onFile);
  const tell = useRef(onChange);
  useEffect(() => {
    takeFile.current = onFile;
    tell.current = onChange;
  });
  const take = (transfer: DataTransfer | null) => {
    const [file] = transfer?.files ?? [];
    if (file) takeFile.current(file);
    return file !== undefined;
  };
  const editor = useEditor({
    extensions,
    content: html,
    injectCSS: false,
    immediatelyRender: true,
    shouldRerenderOnTransaction: false,
    onUpdate: ({ editor: changed }) => tell.current(changed.isEmpty ? '' : changed.getHTML()),
    editorProps: {
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': words.compose.message },
      transformPastedHTML: cleanPasted,
      handlePaste: (_view, event) => take(event.clipboardData),
      handleDrop: (_view, event) => take(event.dataTransfer),
    },
  });
  useEffect(() => {
    // A draft that was thrown away, not what has just been typed.
    if (html === '' && !editor.isEmpty) editor.commands.clearContent();
  }, [editor, html]);

  return (
    <RichTextEditor
      editor={editor}
      labels={words.editor}
      className={classes.editor}
      // A message has no tabs to open links in.
      styles={{ linkEditorExternalControl: { display: 'none' } }}
    >
      <Tools />
      <RichTextEditor.Content />
    </RichTextEditor>
  );
}

function Tools() {
  return (
    <RichTextEditor.Toolbar>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.Bold />
        <RichTextEditor.Italic />
        <RichTextEditor.H2 />
        <RichTextEditor.H3 />
      </RichTextEditor.ControlsGroup>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.BulletList />
        <RichTextEditor.OrderedList />
      </RichTextEditor.ControlsGroup>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.Link />
        <RichTextEditor.Unlink />
      </RichTextEditor.ControlsGroup>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.ClearFormatting />
        <RichTextEditor.Undo />
        <RichTextEditor.Redo />
      </RichTextEditor.ControlsGroup>
    </RichTextEditor.Toolbar>
  );
}
