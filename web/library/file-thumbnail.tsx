import { useQuery } from '@tanstack/react-query';
import { mediaQuery } from '../api/media.ts';
import { isShownAs } from '../format/media-name.ts';
import { Icon } from '../parts/icons.tsx';
import { useObjectUrl } from '../whatsapp/use-object-url.ts';
import classes from './file-thumbnail.module.css';

/** A small view of a picture, and a sign for every other file. */
export function FileThumbnail({ file }: { file: { mime: string; sha256: string } }) {
  const isImage = isShownAs(file.mime, 'image');
  const { data } = useQuery({ ...mediaQuery(file.sha256), enabled: isImage });
  const show = useObjectUrl(data);
  return (
    <span className={classes.thumbnail}>
      {data ? <img ref={show} alt="" className={classes.picture} /> : <Icon name="file" />}
    </span>
  );
}
