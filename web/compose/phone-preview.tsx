import { Post } from '../whatsapp/bubble.tsx';
import { NoPosts, Phone } from '../whatsapp/phone.tsx';
import { words } from '../words/words.ts';
import type { PickedGroup } from './draft.ts';

/** The post as members of the first group will see it. */
export function PhonePreview({
  groups,
  text,
  file,
  time,
}: {
  groups: readonly PickedGroup[];
  text: string;
  file: File | null;
  /** `HH:MM`, or `HH:MM:SS`. */
  time: string;
}) {
  const [first] = groups;
  const kind = first?.kind ?? 'group';
  const media = file && { mime: file.type, size: file.size, name: file.name, file };
  return (
    <Phone name={first?.group_name ?? words.compose.anyGroup} kind={kind} participants={first?.participants ?? null}>
      {text === '' && !media ? (
        <NoPosts>{words.compose.previewHint}</NoPosts>
      ) : (
        <Post text={text} media={media} time={time} kind={kind} />
      )}
    </Phone>
  );
}
