import '@mantine/tiptap/styles.layer.css';
import { Text } from '@mantine/core';
import { RichTextEditor } from '@mantine/tiptap';
import { useEditor } from '@tiptap/react';
import { useEffect, useRef, useState } from 'react';
import { words } from '../words/words.ts';
import { cleanPasted } from './clean-pasted.ts';
import { EmojiControl } from './emoji-control.tsx';
import { messageExtensions, messageSchema, parseMessage, serializeMessage } from './message-schema.ts';
import classes from './editor.module.css';

/**
 * The message editor. Its schema knows only the tags that a campaign may have; anything else becomes plain text, and a note says so. Pasted
 * and dropped files go to `onFile`.
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
  const onFileRef = useRef(onFile);
  const onChangeRef = useRef(onChange);
  useEffect(() => {
    onFileRef.current = onFile;
    onChangeRef.current = onChange;
  });
  const attachFile = (transfer: DataTransfer | null) => {
    const [file] = transfer?.files ?? [];
    if (file) onFileRef.current(file);
    return file !== undefined;
  };
  const [isPlain, setPlain] = useState(false);
  const [extensions] = useState(() => messageExtensions({ onPlainText: () => setPlain(true) }));
  const [content] = useState(() => parseMessage(html));
  const lastHtml = useRef(serializeMessage(messageSchema.nodeFromJSON(content)));
  const editor = useEditor({
    extensions,
    content,
    // The other rules are for Markdown, which WhatsApp's users do not type.
    enableInputRules: ['whatsAppFormatting'],
    enablePasteRules: ['link'],
    injectCSS: false,
    immediatelyRender: true,
    shouldRerenderOnTransaction: false,
    onUpdate: ({ editor: changed }) => {
      if (changed.isEmpty) setPlain(false);
      const changedHtml = serializeMessage(changed.state.doc);
      // Skips updates without a change: the editor adds an empty line below a list by itself.
      if (changedHtml !== lastHtml.current) onChangeRef.current((lastHtml.current = changedHtml));
    },
    editorProps: {
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': words.compose.message },
      clipboardTextSerializer: ({ content: copied }) => copied.textBetween(0, copied.size, '\n', '\n'),
      transformPastedHTML: cleanPasted,
      handlePaste: (_view, event) => attachFile(event.clipboardData),
      handleDrop: (_view, event) => attachFile(event.dataTransfer),
    },
  });
  useEffect(() => {
    // The draft was discarded elsewhere.
    if (html === '' && lastHtml.current !== '') editor.commands.clearContent();
  }, [editor, html]);

  return (
    <div>
      <RichTextEditor
        editor={editor}
        labels={words.editor}
        className={classes.editor}
        // The editor has no links to open in a new tab.
        styles={{ linkEditorExternalControl: { display: 'none' } }}
      >
        <Tools />
        <RichTextEditor.Content />
      </RichTextEditor>
      <Text size="xs" c="dimmed" role="status" className={classes.note}>
        {isPlain && words.compose.madePlain}
      </Text>
    </div>
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
        <EmojiControl />
      </RichTextEditor.ControlsGroup>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.ClearFormatting />
        <RichTextEditor.Undo />
        <RichTextEditor.Redo />
      </RichTextEditor.ControlsGroup>
    </RichTextEditor.Toolbar>
  );
}
