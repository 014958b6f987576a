import { useQuery } from '@tanstack/react-query';
import { mediaQuery, stillQuery } from '../api/media.ts';
import { isShownAs } from '../format/media-name.ts';
import { Icon } from '../parts/icons.tsx';
import { useObjectUrl } from '../whatsapp/use-object-url.ts';
import classes from './file-thumbnail.module.css';

/** A small view of a picture or of the still of a film, and a sign for every other file. */
export function FileThumbnail({ file }: { file: { mime: string; sha256: string; has_still: boolean } }) {
  const isImage = isShownAs(file.mime, 'image');
  const picture = useQuery({ ...mediaQuery(file.sha256), enabled: isImage });
  const still = useQuery({ ...stillQuery(file.sha256), enabled: file.has_still });
  const data = picture.data ?? still.data;
  const show = useObjectUrl(data);
  return (
    <span className={classes.thumbnail}>
      {data ? (
        <img ref={show} alt="" className={classes.picture} />
      ) : (
        <Icon name={isShownAs(file.mime, 'video') ? 'play' : 'file'} />
      )}
    </span>
  );
}
